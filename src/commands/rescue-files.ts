import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { takeIn } from "../deploy/rescue.ts";
import type { Session, StateStore } from "../deploy/state/store.ts";
import { jsonOf } from "../deploy/state/disk.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import { syncFolder } from "../disk.ts";
import { type Rescue, RescueSchema } from "../schema/rescue.ts";

const folderName = ".ivrctl/rescue";

/** A file that an earlier run left in the project. */
interface Left {
  /** As people are told it. */
  readonly file: string;
  readonly path: string;
  readonly rescue: Rescue;
}

/** Keeps it through a power cut; the file's name, or undefined where it cannot be kept. */
export function keepRescue(root: string, rescue: Rescue): string | undefined {
  const folder = join(root, folderName);
  const run = rescue.run.replaceAll(/[^\w.-]/g, "_").slice(0, 80);
  const stamp = rescue.until.replaceAll(/\D/g, "");
  const file = `${rescue.environment}-${run}-${stamp}.json`;
  try {
    mkdirSync(folder, { recursive: true });
    const handle = openSync(join(folder, file), "wx", 0o600);
    try {
      writeFileSync(handle, `${JSON.stringify(rescue, undefined, 2)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    syncFolder(folder);
    return `${folderName}/${file}`;
  } catch {
    // The disk may be the very reason; what it says is printed too.
    return undefined;
  }
}

/** What is left for the next run that takes the lock. */
export function tellOfRescues(root: string, environment: string, diagnostics: Diagnostics): void {
  for (const { file, rescue } of leftIn(root, environment, diagnostics)) {
    diagnostics.addFile(
      "IVR673",
      file,
      `The run ${rescue.run} could not record what became of ${listed(rescue)}; the next apply does, where it still fits.`,
    );
  }
}

/** Records what earlier runs could not. A file that fits is gone then. */
export async function takeInRescues(
  root: string,
  environment: string,
  store: StateStore,
  session: Session,
  diagnostics: Diagnostics,
): Promise<void> {
  for (const { file, path, rescue } of leftIn(root, environment, diagnostics)) {
    const taken = await takeInRescue(rescue, store, session);
    if (taken.kind === "foreign") {
      diagnostics.addFile(
        "IVR673",
        file,
        `It is of another state (lineage ${rescue.lineage}), so nothing of it was recorded.`,
        "Take it away if that state is no more.",
      );
      continue;
    }
    forget(path);
    diagnostics.addFile("IVR673", file, describeTaken(rescue, taken.settled));
  }
}

export async function takeInRescue(rescue: Rescue, store: StateStore, session: Session) {
  const entries = (await store.history()).map(({ entry }) => entry);
  const taken = takeIn(rescue, session.state, entries);
  if (taken.kind === "fits" && taken.events.length > 0) await session.append(...taken.events);
  return taken;
}

export function describeTaken({ run, outcomes }: Rescue, settled: readonly string[]): string {
  const known = outcomes
    .filter(({ key }) => !settled.includes(key))
    .map(({ key, kind }) => `${key} ${kind}`);
  const recorded =
    known.length === 0 ? "" : ` It is recorded now: ${known.slice(0, maxListed).join(", ")}.`;
  const rest =
    settled.length === 0
      ? ""
      : ` Nothing is open any more about ${settled.slice(0, maxListed).join(", ")}.`;
  return `The run ${run} knew what had become of its creates and could not record it.${recorded}${rest}`;
}

const maxListed = 20;

function listed({ outcomes }: Rescue): string {
  const keys = outcomes.slice(0, maxListed).map(({ key }) => key);
  return keys.join(", ");
}

function leftIn(root: string, environment: string, diagnostics: Diagnostics): Left[] {
  const folder = join(root, folderName);
  return namesIn(folder).flatMap((name) => {
    if (!name.startsWith(`${environment}-`) || !name.endsWith(".json")) return [];
    const [path, file] = [join(folder, name), `${folderName}/${name}`];
    const rescue = rescueAt(path);
    if (rescue === undefined) {
      diagnostics.addFile("IVR673", file, `${file} cannot be read, so nothing of it is recorded.`);
    }
    // One environment's name may begin with another's.
    return rescue?.environment === environment ? [{ file, path, rescue }] : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function rescueAt(path: string): Rescue | undefined {
  try {
    return rescueIn(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Where it cannot be taken away, it says the next time that nothing of it is open any more. */
function forget(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The folder was made read-only, say.
  }
}

/** Undefined where a text is something else. */
export function rescueIn(text: string): Rescue | undefined {
  const read = RescueSchema.safeParse(jsonOf(text));
  return read.success ? read.data : undefined;
}
