import { Finding, shownOf } from "./checks.ts";
import { type Stage } from "./stage.ts";
import { count } from "./tally.ts";

/**
 * A process is suspended with a create in flight. A person releases its lock and resolves the
 * create as absent, and a second run may create it again. Then the first process continues
 * and learns that its menu was created. In the end the state must know all these menus.
 */
export async function denied(stage: Stage, id: string): Promise<void> {
  if (stage.mounted) return;
  // One at a time, so every recorded intent has been sent when the process is suspended.
  stage.configure(1, 300);
  count(stage.tally.disturbances, "denied");
  const [sentBefore, lacking] = [stage.recorder.writes.length, lackOf(stage)];
  let goOn = () => {};
  let suspended = () => {};
  const inFlight = new Promise<void>((resolve) => (suspended = resolve));
  const rivals = { rival: true, released: true };
  const first = stage.command(["apply", "--auto-approve", "--format", "json"], {
    ...rivals,
    lockId: id,
    started: (child) => {
      goOn = () => void child.kill("SIGCONT");
      stage.recorder.moment = (what) => {
        if (what !== "write") return;
        stage.recorder.moment = undefined;
        child.kill("SIGSTOP");
        suspended();
      };
    },
  });
  try {
    await Promise.race([inFlight, first]);
    stage.recorder.moment = undefined;
    await stage.command(["unlock", id], rivals);
    const sent = [...stage.journal().pending].flatMap(([key, { run }]) => (run === id ? key : []));
    if (sent.length > 0) await stage.command(["state", "resolve", ...sent, "--absent"], rivals);
    await stage.apply(rivals);
  } finally {
    goOn();
  }
  const ran = await first;
  // Records what the first run could not record.
  await stage.apply(rivals);
  for (const { digest, name } of stage.recorder.writes.slice(sentBefore)) {
    if (lackOf(stage)(digest) <= lacking(digest)) continue;
    throw new Finding(`(2) a menu “${name}” of the service is not in the state${shownOf(ran)}`);
  }
}

/** Returns a function that counts the menus with a payload that the state is missing. */
function lackOf(stage: Stage): (digest: string) => number {
  const made = new Map(stage.recorder.writes.map(({ digest }) => [digest, stage.made(digest)]));
  const { accounted, deleted } = stage.journal();
  const recorded = [...accounted, ...deleted];
  return (digest) =>
    (made.get(digest) ?? 0) - recorded.filter((menu) => menu.digest === digest).length;
}
