import * as z from "zod/mini";
import { stateVersion } from "../../../schema/state.ts";
import { validate } from "../../../schema/validate.ts";
import { parseJson } from "../../../util/parse-json.ts";
import { type Operation, StoredState } from "../operations.ts";
import { type Linked } from "../entries.ts";
import { checkpointOf, checkpointText } from "../file/checkpoint.ts";
import { decodeLine, encodeLine } from "../file/journal.ts";
import { ProcessLock } from "../lock.ts";
import { FillingSchema } from "../marks.ts";
import { refuseOtherVersion, takeNext } from "../read-entry.ts";
import { State } from "../state.ts";
import { type Extent, StateProblem } from "../store.ts";
import type { Branch } from "./branch.ts";

/*
 * The files of an environment, in a folder with its name:
 *
 *     journal.jsonl               the newest events, one line each
 *     journal-0000000001.jsonl    earlier events, from number 1 on
 *     state.json                  the state as the last session left it
 *     lock.json                   while a session lasts
 *     moved.json                  if the state was moved to another store
 *     filling.json                while the state is being filled,
 *     staged-0000000001.jsonl     with the entries that were copied so far
 *
 * The journal alone decides what the state is. Every commit is complete, so a reader never
 * sees a part of a change.
 */
const journalName = "journal.jsonl";
const checkpointName = "state.json";
const lockName = "lock.json";
const movedName = "moved.json";
const fillingName = "filling.json";

function segmentName(kind: "journal" | "staged", first: number): string {
  return `${kind}-${String(first).padStart(10, "0")}.jsonl`;
}

const segmentPattern = /^(journal|staged)-\d{10}\.jsonl$/;

/** The size from which on `journal.jsonl` becomes a segment: git stores the whole file with every push. */
const segmentSize = 256 * 1024;

/** The place of one environment on a branch. */
export interface Where {
  readonly environment: string;
  /** The folder of its files, which ends with `/`. */
  readonly folder: string;
  /** The branch, as messages show it. */
  readonly address: string;
}

export interface Loaded {
  readonly branchState: BranchState;
  /** The entries that were read one by one: all of them, or those after the checkpoint. */
  readonly entries: readonly Linked[];
  readonly notes: readonly string[];
}

/** A change that can be committed: the files after it. */
export interface Prepared {
  readonly operation: Operation;
  readonly files: ReadonlyMap<string, string>;
  readonly tail: Tail;
}

/** `journal.jsonl`: its content, and the number of its first event. */
interface Tail {
  readonly text: string;
  readonly from: number;
}

/** The state of one environment at one commit of its branch. */
export class BranchState extends StoredState {
  readonly where: Where;
  #commit: string | null;
  /** The id of each file's content, by name. */
  #files: ReadonlyMap<string, string>;
  #tail: Tail;

  private constructor(where: Where, content: StoredContent) {
    super(content.state, content.held, content.movedTo);
    this.where = where;
    this.#commit = content.commit;
    this.#files = content.files;
    this.#tail = content.tail;
  }

  /** Reads and verifies the files at a commit. Null: the branch does not exist. */
  static async load(
    branch: Branch,
    commit: string | null,
    where: Where,
    what: Extent,
  ): Promise<Loaded> {
    const listed = commit === null ? [] : await branch.list(commit, where.folder);
    const contents = await branch.read(listed.map(({ blob }) => blob));
    const found = new Map(listed.map(({ name }, at) => [name, contents[at] ?? Buffer.alloc(0)]));
    const { state, entries, tail, notes } = readJournal(found, where, what);
    const branchState = new BranchState(where, {
      commit,
      state,
      tail,
      files: new Map(listed.map(({ name, blob }) => [name, blob])),
      held: readFile(found, lockName, HeldFile, where) ?? null,
      movedTo: readFile(found, movedName, MovedFile, where)?.moved_to ?? null,
    });
    const mark = readFile(found, fillingName, FillingFile, where);
    if (mark !== undefined) {
      branchState.apply({ kind: "filling", filling: mark.filling });
      const linked = readStaged(found, state, where);
      if (linked.length > 0) branchState.apply({ kind: "staged", linked });
    }
    return { branchState, entries, notes };
  }

  /** Null if the branch does not exist. */
  get commit(): string | null {
    return this.#commit;
  }

  /** Stores the contents that a change needs. The change is not made yet. */
  async prepare(branch: Branch, operation: Operation): Promise<Prepared> {
    const files = new Map(this.#files);
    let tail = this.#tail;
    const write = async (name: string, content: string) =>
      files.set(name, await branch.write(content));
    const removeStaged = () => {
      for (const name of files.keys()) if (name.startsWith("staged-")) files.delete(name);
    };
    const closeTail = () => {
      const blob = files.get(journalName);
      if (blob === undefined) return;
      files.set(segmentName("journal", tail.from), blob);
      files.delete(journalName);
    };
    switch (operation.kind) {
      case "locked":
        await write(lockName, jsonText(operation.held));
        break;
      case "released": {
        files.delete(lockName);
        const snapshot = this.state.snapshot();
        if (snapshot !== undefined) await write(checkpointName, checkpointText(snapshot));
        break;
      }
      case "entries": {
        if (tail.text.length >= segmentSize) {
          closeTail();
          tail = { text: "", from: this.state.serial + 1 };
        }
        tail = { ...tail, text: tail.text + linesOf(operation.linked) };
        await write(journalName, tail.text);
        break;
      }
      case "filling":
      case "sealed":
        if (operation.kind === "filling") removeStaged();
        await write(fillingName, jsonText({ version: stateVersion, filling: operation.filling }));
        break;
      case "staged": {
        const first = operation.linked[0]?.entry.seq;
        if (first === undefined) break;
        await write(segmentName("staged", first), linesOf(operation.linked));
        break;
      }
      case "filled": {
        closeTail();
        for (const [name, blob] of this.#files) {
          if (name.startsWith("staged-")) files.set(name.replace("staged", "journal"), blob);
        }
        removeStaged();
        files.delete(fillingName);
        files.delete(movedName);
        tail = { text: "", from: this.state.serial + this.staged.length + 1 };
        break;
      }
      case "discarded":
        removeStaged();
        files.delete(fillingName);
        break;
      case "moved":
        await write(movedName, jsonText({ moved_to: operation.to }));
        break;
    }
    return { operation, files, tail };
  }

  /** The prepared change was pushed as this commit. */
  moveOn({ operation, files, tail }: Prepared, commit: string): void {
    this.apply(operation);
    this.#files = files;
    this.#tail = tail;
    this.#commit = commit;
  }
}

interface StoredContent {
  readonly commit: string | null;
  readonly state: State;
  readonly held: z.infer<typeof HeldFile> | null;
  readonly movedTo: string | null;
  readonly files: ReadonlyMap<string, string>;
  readonly tail: Tail;
}

type Contents = ReadonlyMap<string, Buffer>;

const HeldFile = z.object({ session: z.string(), lock: ProcessLock });
const MovedFile = z.object({ moved_to: z.string() });
const FillingFile = z.object({ filling: FillingSchema });

/** Returns undefined if there is no such file. */
function readFile<T extends z.ZodMiniType>(
  contents: Contents,
  name: string,
  schema: T,
  where: Where,
): z.output<T> | undefined {
  const bytes = contents.get(name);
  if (bytes === undefined) return undefined;
  const content = parseJson(bytes);
  refuseOtherVersion(content, shownFile(where, name));
  const read = validate(schema, content);
  if (read.success) return read.data;
  throw damaged(where, name, `is invalid: ${read.problem}`);
}

function readJournal(contents: Contents, where: Where, what: Extent) {
  const notes: string[] = [];
  const segments = namesOf(contents, "journal");
  const lines = segments.flatMap((name) => linesIn(contents, name));
  const tailLines = linesIn(contents, journalName);
  const all = [...lines, ...tailLines];
  const checkpoint = checkpointOf(contents.get(checkpointName), shownFile(where, checkpointName));
  const snapshot = checkpoint.kind === "valid" ? checkpoint.snapshot : undefined;
  if (contents.has(checkpointName) && snapshot === undefined) {
    notes.push(
      `${shownFile(where, checkpointName)} was edited or damaged. That changes nothing: the state was read from the journal.`,
    );
  }
  if (
    snapshot !== undefined &&
    decodeLine(all[snapshot.serial - 1]?.line ?? "")?.head !== snapshot.head
  ) {
    throw damaged(
      where,
      journalName,
      `does not have the event ${snapshot.serial} that ${checkpointName} was made from`,
    );
  }
  const state =
    what === "the state" && snapshot !== undefined ? State.fromSnapshot(snapshot) : new State();
  const entries = all.slice(state.serial).map((line) => follow(line, state, where));
  const environment = state.origin?.environment ?? where.environment;
  if (environment !== where.environment) {
    throw damaged(where, journalName, `is the journal of the environment ${environment}`);
  }
  const tail = {
    text: contents.get(journalName)?.toString("utf8") ?? "",
    from: lines.length + 1,
  };
  return { state, entries, tail, notes };
}

function readStaged(contents: Contents, state: State, where: Where): readonly Linked[] {
  const ahead = state.copy();
  return namesOf(contents, "staged")
    .flatMap((name) => linesIn(contents, name))
    .map((line) => follow(line, ahead, where));
}

interface Line {
  readonly line: string;
  readonly name: string;
}

function linesIn(contents: Contents, name: string): readonly Line[] {
  const text = contents.get(name)?.toString("utf8") ?? "";
  return text.split("\n").flatMap((line) => (line === "" ? [] : [{ line, name }]));
}

function namesOf(contents: Contents, kind: "journal" | "staged"): readonly string[] {
  return [...contents.keys()].filter((name) => segmentPattern.exec(name)?.[1] === kind).sort();
}

/** Verifies the next line and takes it into the state. */
function follow({ line, name }: Line, state: State, where: Where): Linked {
  const how = (what: string) => damaged(where, name, what);
  const decoded = decodeLine(line);
  if (decoded === undefined) {
    refuseOtherVersion(parseJson(line), shownFile(where, name));
    throw how(`has a line ${state.serial + 1} that is not an event`);
  }
  return takeNext(decoded, state, shownFile(where, name), how);
}

function linesOf(linked: readonly Linked[]): string {
  return linked.map(encodeLine).join("");
}

function jsonText(content: object): string {
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function shownFile({ folder, address }: Where, name: string): string {
  return `${folder}${name} on ${address}`;
}

function damaged(where: Where, name: string, how: string): StateProblem {
  return new StateProblem(
    "IVR603",
    `${shownFile(where, name)} ${how}.`,
    "Set the branch back to the last commit that ivrctl made. docs/state.md explains how (Restore a branch).",
  );
}
