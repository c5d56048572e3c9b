import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FileStore } from "../../../src/deploy/state/file/store.ts";
import { begun, created, intent } from "../../deploy/state/events.ts";

/** What the tests of the file store run in processes of their own. */
const [, , what, folder = "", id = "child", count = "0"] = process.argv;
const store = new FileStore(folder, "production");
const lock = (wait = 0) => store.lock({ id, by: "child", command: "apply", wait });
// Otherwise the system ends a process that reaches the limit of a file's size.
process.on("SIGXFSZ", () => {});

/** Before it goes on: what `console.log` says waits in the process where nobody reads, and dies with it. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Takes the lock, says so, and keeps it. */
async function hold(): Promise<void> {
  const found = await lock();
  say(found.kind);
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once("end", resolve));
  if (found.kind === "locked") await found.session.close();
}

/** Takes the lock again and again; two inside at once would be an error. */
async function compete(): Promise<void> {
  let [won, held] = [0, 0];
  for (let round = 0; round < Number(count); round += 1) {
    const found = await lock(round % 2 === 0 ? 0 : 30_000);
    if (found.kind === "held") {
      held += 1;
      await sleep(Math.random() * 3);
      continue;
    }
    won += 1;
    const inside = join(folder, "..", "inside");
    closeSync(openSync(inside, "wx"));
    const { session } = found;
    if (session.state.serial === 0) await session.append(begun("production"));
    await session.append(intent(`${id}-${round}`));
    rmSync(inside);
    // Some die with the lock in their hands.
    if (won === 5 && id.startsWith("mortal")) process.kill(process.pid, "SIGKILL");
    await session.close();
  }
  say(JSON.stringify({ won, held }));
}

/** Sixteen at once, each saying what it knows to be durable. */
async function append(): Promise<void> {
  const found = await lock();
  if (found.kind === "held") throw new Error("held");
  const { session } = found;
  if (session.state.serial === 0) await session.append(begun("production"));
  const start = session.state.serial;
  const worker = async (nth: number) => {
    for (let at = 0; at < Number(count); at += 1) {
      const key = `${id}-${start}-${nth}-${at}`;
      await session.append(intent(key));
      say(`intent ${key}`);
      await session.append(created(key));
      say(`created ${key}`);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: 16 }, (_, nth) => worker(nth)));
  const failed = ended.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    const again = await session.append(intent("again")).catch((second: unknown) => second);
    say(`failed ${failed.reason} ${String(again) === String(failed.reason) ? "for good" : "once"}`);
  }
  await session.close();
}

await { hold, compete, append }[what as "hold" | "compete" | "append"]();
