import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { begun, created, intent } from "./events.ts";
import { fileStore } from "../support/file-log.ts";

/** A child process for tests of the file store. */
const [, , what, folder = "", id = "child", count = "0"] = process.argv;
const store = fileStore(folder, "production");
const lock = (wait = 0) => store.lock({ id, by: "child", command: "apply", wait });
// Without this, the system kills a process that reaches the limit of the file size.
process.on("SIGXFSZ", () => {});

/** Writes synchronously, because `console.log` may lose output when the process is killed. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Takes the lock, prints that, and keeps it. */
async function hold(): Promise<void> {
  const found = await lock();
  say(found.kind);
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once("end", resolve));
  if (found.kind === "locked") await found.session.close();
}

/** Takes the lock repeatedly. Two holders at once are an error. */
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
    const inside = join(folder, "inside");
    closeSync(openSync(inside, "wx"));
    const { session } = found;
    if (session.state.serial === 0) await session.append(begun("production"));
    await session.append(intent(`${id}-${round}`));
    rmSync(inside);
    // Some processes die while they hold the lock.
    if (won === 5 && id.startsWith("mortal")) process.kill(process.pid, "SIGKILL");
    await session.close();
  }
  say(JSON.stringify({ won, held }));
}

/** Appends with sixteen concurrent calls, and prints each durable event. */
async function append(): Promise<void> {
  const found = await lock();
  if (found.kind === "held") throw new Error("held");
  const { session } = found;
  if (session.state.serial === 0) await session.append(begun("production"));
  const start = session.state.serial;
  const worker = async (nth: number) => {
    for (let at = 0; at < Number(count); at += 1) {
      const key = `${id}-${start}-${nth}-${at}`;
      const [sent] = await session.append(intent(key));
      say(`intent ${key}`);
      await session.append(created(key, sent?.entry.seq));
      say(`created ${key}`);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: 16 }, (_, nth) => worker(nth)));
  const failed = ended.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    const again = await session.append(intent("again")).catch((second: unknown) => second);
    say(`failed ${failed.reason} ${String(again) === String(failed.reason) ? "for good" : "once"}`);
  }
  await session.close();
}

await { hold, compete, append }[what as "hold" | "compete" | "append"]();
