import { StateProblem } from "../store.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { Branch, type BranchPlace } from "./branch.ts";

/*
 * Earlier pipelines of ivrctl kept the states of all environments on one branch:
 *
 *     state/ENV.journal.jsonl    the journal, as in a project's folder
 *     state/ENV.json             its checkpoint
 *     locks/ENV.json             the lock of a pipeline
 *
 * The first run that takes the lock copies such a state to its own branch. Before that, it
 * leaves a lock on the old branch, so that an old pipeline does not continue there.
 */

/** A state in the old layout. */
export interface OldState {
  /** The files in the current layout, by name. */
  readonly contents: ReadonlyMap<string, Buffer>;
  /** The old branch, as messages show it. */
  readonly address: string;
  /** Leaves the lock. Safe to repeat. */
  retire(): Promise<void>;
}

/** Reads the state of an environment in the old layout. Returns undefined if there is none. */
export async function readOldState(
  place: BranchPlace,
  environment: string,
  newBranch: string,
): Promise<OldState | undefined> {
  const branch = new Branch(place);
  const { commit } = await branch.look();
  if (commit === null) return undefined;
  const prefix = await branch.prefix();
  const files = await branch.list(commit, `${prefix}state/`);
  const locks = await branch.list(commit, `${prefix}locks/`);
  const journal = files.find(({ name }) => name === `${environment}.journal.jsonl`);
  if (journal === undefined) return undefined;
  const checkpoint = files.find(({ name }) => name === `${environment}.json`);
  const lock = locks.find(({ name }) => name === `${environment}.json`);
  const wanted = [journal, checkpoint, lock].flatMap((file) => file?.blob ?? []);
  const read = await branch.read(wanted);
  const contentOf = (file: typeof lock) => file && read[wanted.indexOf(file.blob)];
  const retired = `moved to the branch ${newBranch}`;
  const held = lock && idOf(contentOf(lock));
  const contents = new Map([["journal.jsonl", withoutRoom(contentOf(journal))]]);
  const snapshot = contentOf(checkpoint);
  if (snapshot !== undefined) contents.set("state.json", snapshot);
  return {
    contents,
    address: branch.address,
    async retire() {
      if (held === retired) return;
      if (held !== undefined) throw lockedByPipeline(environment, branch.address, held);
      const text = lockText(environment, retired);
      const entry = { name: `${environment}.json`, blob: await branch.write(text) };
      const next = await branch.commit(
        commit,
        `${prefix}locks/`,
        [...locks, entry],
        `${environment}: ${retired}`,
      );
      if ((await branch.push(next, commit)) === "accepted") return;
      throw new StateProblem(
        "IVR601",
        `Another run has just pushed to ${branch.address}.`,
        "Run the command again when no other run is under way.",
      );
    },
  };
}

/** Files reserve room with zeros at their end. */
function withoutRoom(journal: Buffer = Buffer.alloc(0)): Buffer {
  const room = journal.indexOf(0);
  return room === -1 ? journal : journal.subarray(0, room);
}

/** The lock as old pipelines read it. They refuse to start while it is there. */
function lockText(environment: string, id: string): string {
  const lock = { format: "ivrctl-pipeline-lock", version: 1, id, environment, run: "ivrctl" };
  return `${JSON.stringify({ ...lock, since: new Date().toISOString() }, undefined, 2)}\n`;
}

function idOf(lock: Buffer | undefined): string {
  const content = parseJson(lock);
  const id = typeof content === "object" && content !== null && "id" in content ? content.id : "?";
  return String(id);
}

function lockedByPipeline(environment: string, address: string, id: string): StateProblem {
  return new StateProblem(
    "IVR601",
    `A pipeline holds the lock ${id} of ${environment} on ${address}.`,
    "Wait for that pipeline. If it is dead, release the lock with the version of ivrctl that the pipeline used.",
  );
}
