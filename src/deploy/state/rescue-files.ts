import type { Facts } from "../reasons/kinds.ts";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { type Rescue, RescueSchema } from "../../schema/rescue.ts";
import type { RecordedOutcome, StateEvent } from "../../schema/state.ts";
import { validate } from "../../schema/validated.ts";
import { syncFolder, readWithoutWaiting } from "../../util/disk.ts";
import { listed } from "../../util/many.ts";
import { parseJson } from "../../util/parse-json.ts";
import { replaceFile } from "../../util/replace-file.ts";
import { type Hint, suggest } from "../../util/suggest.ts";
import { type Linked, refuseFormat } from "./entries.ts";
import { outcomeText } from "./records.ts";
import { type StateView, menuRecord } from "./view.ts";
import { StateProblem } from "./lock.ts";
import type { StateStore } from "./log/state-store.ts";
import type { Session } from "./log/session.ts";

/** An outcome that could not be recorded. */
export type RescuedOutcome = Rescue["outcomes"][number];

const folderName = ".ivrctl/rescue";

/** Writes a rescue file, complete or not at all. Returns its name, or undefined if it cannot be written. */
export function writeRescue(root: string, rescue: Rescue): string | undefined {
  const folder = join(root, folderName);
  const run = rescue.run.replaceAll(/[^\w.-]/g, "_").slice(0, 80);
  const stamp = rescue.at.replaceAll(/\D/g, "");
  const file = `${rescue.environment}-${run}-${stamp}.json`;
  try {
    mkdirSync(folder, { recursive: true });
    replaceFile(join(folder, file), `${JSON.stringify(rescue, undefined, 2)}\n`, 0o600);
    syncFolder(folder);
    return `${folderName}/${file}`;
  } catch {
    // The disk may be full. Then the caller prints the outcomes.
    return undefined;
  }
}

/** What the history says about the intent of a rescued outcome. */
interface Fate {
  /** `missing`: the intent is not in the history. `unknown`: it is pending, and the history says so. */
  readonly as: "missing" | "pending" | RecordedOutcome["as"];
  /** The current key: the record may have moved. */
  readonly key: string;
}

/** Follows an intent to the end of the history. */
export function intentFate({ sum, outcome }: RescuedOutcome, history: readonly Linked[]): Fate {
  const { intent, follow_up: followUp } = outcome;
  let { key } = outcome;
  if (history[intent - 1]?.head !== sum) return { as: "missing", key };
  let as: Fate["as"] = "pending";
  for (const { entry } of history.slice(intent)) {
    const { event } = entry;
    if (event.kind === "moved" && event.from === key) key = event.key;
    if (event.kind === "outcome" && event.intent === intent) as = event.as;
    if (event.kind === "created-after-all" && event.intent === intent) as = "done";
    // A person can mark a follow-up as done whose outcome is unknown.
    if (event.kind === "done" && event.follow_up === followUp) as = "done";
  }
  return { as, key };
}

/** What a rescue file adds to a state. */
interface Compared {
  /** The events that are missing in the history. */
  readonly events: readonly StateEvent[];
  /** Keys whose outcomes the history already has. */
  readonly recorded: readonly string[];
  /** Keys of menus that were created, but whose intent is not in the history. */
  readonly missing: readonly string[];
}

/** Determines which outcomes of a rescue file are missing in the state. Undefined if it is of a different state. */
export function compareRescue(
  { state: id, environment, outcomes }: Rescue,
  state: StateView,
  history: readonly Linked[],
): Compared | undefined {
  const { origin } = state;
  if (origin?.id !== id || origin.environment !== environment) return undefined;
  const events: StateEvent[] = [];
  const recorded: string[] = [];
  const missing: string[] = [];
  for (const rescued of outcomes) {
    const { outcome } = rescued;
    const { as, key } = intentFate(rescued, history);
    const isNew = ["create", "replace", "record"].includes(outcome.action);
    const isCreated = isNew && outcome.as === "done";
    if (as === "pending" || (as === "unknown" && outcome.as !== "unknown")) {
      events.push({ ...outcome, key });
    } else if (isCreated && (as === "missing" || (as === "not-done" && outcome.recording))) {
      missing.push(outcome.key);
    } else if (isCreated && as === "not-done") {
      events.push(...createdAfterAll(outcome, key, menuRecord(state, key) !== undefined, history));
    } else recorded.push(outcome.key);
  }
  return { events, recorded, missing };
}

/**
 * Records a menu that exists although the history says that it was not created. It is a second menu if
 * its key has a record, or a request with an unknown outcome.
 */
function createdAfterAll(
  outcome: RecordedOutcome,
  key: string,
  isSecond: boolean,
  history: readonly Linked[],
): StateEvent[] {
  const { intent } = outcome;
  const { event, at: sentAt = "" } = history[intent - 1]?.entry ?? {};
  if (event?.kind !== "intent" || !("menu" in event) || outcome.how !== "answer") return [];
  const { menu, by_hand: byHand, trial } = event;
  const { status, message } = outcome;
  const as = isSecond ? "second" : "current";
  const about = { menu, ...(byHand && { by_hand: byHand }), ...(trial && { trial }) };
  const content = { ...about, sent_at: sentAt, status, message };
  return [{ kind: "created-after-all", key, intent, as, ...content }];
}

/** A rescue file that the next command that changes the state will record. */
export type LeftRescue = Facts["unrecorded"];

/** The rescue files of an environment. Reports those that cannot be read. */
export function leftRescues(
  root: string,
  environment: string,
  diagnostics: Diagnostics,
): LeftRescue[] {
  return rescuesIn(root, environment, diagnostics).map(({ file, rescue: { run, outcomes } }) => ({
    file,
    run,
    keys: outcomes.map(({ outcome }) => outcome.key),
  }));
}

/** Records the outcomes in rescue files, and deletes the files that are no longer needed. */
export async function recordRescues(
  root: string,
  environment: string,
  store: StateStore,
  session: Session,
  diagnostics: Diagnostics,
): Promise<void> {
  for (const { file, path, rescue } of rescuesIn(root, environment, diagnostics)) {
    const recorded = await recordRescue(rescue, file, store, session);
    if (recorded === undefined) {
      diagnostics.addAt(
        "IVR673",
        { file },
        `This rescue file belongs to a different state (${rescue.state}). Nothing from it was recorded.`,
        "Delete the file if that state is no longer used.",
      );
      continue;
    }
    const { message, hint } = recorded;
    if (hint === undefined) forget(path);
    diagnostics.addAt("IVR673", { file }, message, hint);
  }
}

/**
 * Records the outcomes of a rescue file that are missing in the history. Returns what it did and, if
 * some cannot be recorded, what to do about them. Undefined if the file is of a different state.
 */
export async function recordRescue(
  rescue: Rescue,
  file: string,
  store: StateStore,
  session: Session,
): Promise<{ readonly message: string; readonly hint: Hint | undefined } | undefined> {
  const compared = compareRescue(rescue, session.state, await store.history());
  if (compared === undefined) return undefined;
  if (compared.events.length > 0) await session.append(...compared.events);
  const [lost] = compared.missing;
  const isRecording = rescue.outcomes.some(
    ({ outcome }) => outcome.key === lost && outcome.recording,
  );
  const hint =
    lost === undefined
      ? undefined
      : isRecording
        ? `If the service lists recordings, the next plan finds it. Otherwise the next apply makes it again. Then delete ${file}.`
        : {
            words: `Look for it on the console. When it is recorded, delete ${file}. To record it, run:`,
            argv: suggest("state resolve", [lost], rescue.environment, ["--created"]),
          };
  return { message: describeRecorded(rescue, compared), hint };
}

/** Says which outcomes of a rescue file are recorded now, and which are not. */
function describeRecorded({ run }: Rescue, { events, recorded, missing }: Compared): string {
  const now = events.flatMap((event) =>
    event.kind === "outcome" ? `${event.key} ${outcomeText(event)}` : [],
  );
  const late = events.flatMap((event) => (event.kind === "created-after-all" ? event : []));
  const sentence = (lead: string, names: readonly string[], more = "") =>
    names.length === 0 ? [] : `${lead}: ${listed(names, maxListed)}.${more}`;
  return [
    `Run ${run} could not record all its outcomes.`,
    sentence("Recorded now", now),
    late.map(({ key, as }) =>
      as === "current"
        ? `${key} was recorded as not created, but the menu exists. It is recorded now.`
        : `${key} was recorded as not created, so two menus exist now. The second one is a follow-up. Find out which of the two the phone number uses, and take the other one out of service.`,
    ),
    sentence("Already recorded", recorded),
    sentence(
      "Not recorded",
      missing,
      " It was created, but the history does not show that it was sent.",
    ),
  ]
    .flat()
    .join(" ");
}

const maxListed = 20;

/** A rescue file that an earlier run left in the project. */
interface RescueFile {
  /** The path that messages show. */
  readonly file: string;
  readonly path: string;
  readonly rescue: Rescue;
}

function rescuesIn(root: string, environment: string, diagnostics: Diagnostics): RescueFile[] {
  const folder = join(root, folderName);
  return namesIn(folder).flatMap((name) => {
    if (!name.startsWith(`${environment}-`) || !name.endsWith(".json")) return [];
    const [path, file] = [join(folder, name), `${folderName}/${name}`];
    try {
      const rescue = rescueIn(readWithoutWaiting(path).toString("utf8"), file);
      if (rescue === undefined) throw new StateProblem("IVR603", `${file} cannot be read.`);
      // A file of another environment matches too, if its name begins in the same way.
      return rescue.environment === environment ? [{ file, path, rescue }] : [];
    } catch (error) {
      const problem = error instanceof StateProblem ? error : undefined;
      const what = `${problem?.message ?? `${file} cannot be read.`} Nothing from it is recorded.`;
      const other = {
        words:
          "Resolve all unknown outcomes (`ivrctl state show KEY` shows how), then delete the file. To list them, run:",
        argv: ["state", "list"],
      };
      diagnostics.addAt(
        "IVR673",
        { file },
        what,
        problem?.code === "IVR602" ? problem.hint : other,
      );
      return [];
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Deletes a rescue file. If that fails, the next run reports it again as already recorded. */
function forget(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // For example, the folder is read-only.
  }
}

/** Reads a rescue file. Returns undefined if the text is something else. Throws if the content is invalid. */
export function rescueIn(text: string, shown: string): Rescue | undefined {
  const content = parseJson(text);
  if (typeof content !== "object" || content === null || !("rescue" in content)) return undefined;
  refuseFormat(content, shown);
  const read = validate(RescueSchema, content);
  if (read.success) return read.data;
  throw new StateProblem(
    "IVR603",
    `${shown} is not a valid rescue file: ${read.problem}.`,
    "Use the whole file that apply wrote, or the whole line that it printed.",
  );
}
