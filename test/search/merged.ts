import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blockFiles } from "../support/file-log.ts";
import { Finding, shownOf } from "./checks.ts";
import type { Random } from "./random.ts";
import type { Stage } from "./stage.ts";
import { count } from "./tally.ts";

/**
 * Two clones change a state in files, and somebody copies the files of one into the folder of the other,
 * as `cp -n`, rsync and `git merge -X ours` do. ivrctl must refuse a mix of both histories, on this machine
 * and on a new one. Afterwards the folder is as it was before the copy.
 */
export async function merged(stage: Stage, random: Random): Promise<void> {
  const [key] = random.shuffle([...stage.journal().current.keys()]);
  if (stage.mounted || key === undefined) return;
  const aside = mkdtempSync(join(tmpdir(), "ivrctl-faults-merged-"));
  const own = join(stage.root, ".ivrctl");
  const [base, theirs, ours] = ["base", "theirs", "ours"].map((name) => join(aside, name)) as [
    string,
    string,
    string,
  ];
  const restore = (from: string) => {
    rmSync(own, { recursive: true });
    cpSync(from, own, { recursive: true });
  };
  try {
    cpSync(own, base, { recursive: true });
    for (let times = random.between(1, 4); times > 0; times -= 1) {
      await stage.command(["state", "mv", key, `theirs/${key}`]);
      await stage.command(["state", "mv", `theirs/${key}`, key]);
    }
    const theirBlocks = blocksIn(stage);
    cpSync(own, theirs, { recursive: true });
    restore(base);
    await stage.apply();
    const ourBlocks = blocksIn(stage);
    cpSync(own, ours, { recursive: true });
    const force = random.chance(0.3);
    const isNew = random.chance(0.5);
    const how = `${force ? "all" : "missing"} files copied${isNew ? ", new machine" : ""}`;
    count(stage.tally.disturbances, `histories mixed: ${how}`);
    stage.steps.push(`the state of a second clone: ${how}`);
    cpSync(join(theirs, "state"), join(own, "state"), { recursive: true, force });
    if (isNew) rmSync(join(own, "seen"), { recursive: true, force: true });
    const blocks = blocksIn(stage);
    // Nobody can tell on a new machine that it is not the history of this clone.
    const isWhole = blocks === ourBlocks || (blocks === theirBlocks && isNew);
    if (!isWhole && !blocks.startsWith(ourBlocks)) await mustRefuse(stage, "mixed histories");
    restore(ours);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Checks that plan and apply refuse a state, and that no request is sent. */
export async function mustRefuse(stage: Stage, what: string): Promise<string> {
  const before = stage.recorder.writes.length;
  const lost = { lost: true };
  const ran = await stage.command(["plan", "--format", "json"], lost);
  const applied = await stage.command(["apply", "--auto-approve"], lost);
  const isRefused = [ran, applied].every(
    ({ exit, stdout, stderr }) => exit === 1 && /IVR6(?:03|29)/.test(stdout + stderr),
  );
  if (!isRefused || stage.recorder.writes.length !== before)
    throw new Finding(`(2) ${what} not refused${shownOf(ran)}${shownOf(applied)}`);
  return ran.stdout;
}

function blocksIn(stage: Stage): string {
  return blockFiles(stage.root, "e")
    .map((path) => readFileSync(path, "utf8"))
    .join("");
}
