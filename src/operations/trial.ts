import type { Rescued } from "../deploy/apply/apply-and-rescue.ts";
import { spokenRecording } from "../compile/recording-to-make.ts";
import { matters } from "../deploy/matters/matters.ts";
import type { Unrecorded } from "../deploy/apply/step-results.ts";
import type { Matter } from "../deploy/reasons/kinds.ts";
import {
  type Connection,
  type Endpoint,
  chosenEndpoint,
  openEndpoint,
  reportToken,
} from "../deploy/service/connect.ts";
import { listAgents } from "../deploy/service/list-agents.ts";
import { type LockedState, underLock } from "../deploy/state/access.ts";
import { openStore } from "../deploy/state/open-store.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { textAfter, put } from "../editing/put.ts";
import type { AgentDestination } from "../model/menu.ts";
import type { Agent, Agents } from "../project/agent-list.ts";
import { readSnapshot } from "../project/agents-lock.ts";
import { changeFiles } from "../project/change-files.ts";
import type { Environment } from "../project/environment.ts";
import { configName } from "../project/files.ts";
import { withListedNames } from "../project/listed-names.ts";
import { EditProblem } from "../references/edits.ts";
import { idPattern } from "../schema/field-types.ts";
import { fieldsOfKind } from "../schema/fields.ts";
import { type Ref, menuRef, recordingRef } from "../schema/ref.ts";
import { type Findings, type TrialSetting, trialTable } from "../schema/trial-rows.ts";
import { Interruption } from "../util/interruption.ts";
import { joined, listed, many } from "../util/many.ts";
import { didYouMean } from "../util/nearest.ts";
import { suggest } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { ApplyProgress, storeProgress } from "../views/apply-progress.ts";
import { askText, choose, confirm } from "../views/ask.ts";
import { editText } from "../views/edit.ts";
import type { ExitCode } from "../views/result.ts";
import { serviceWatcher } from "../views/service.ts";
import { settingText } from "../views/trial.ts";
import { type Project, openProject } from "../workspace/open-project.ts";
import type { Caller } from "./caller.ts";
import { lockRequest, refusalCodes } from "./lock-request.ts";
import type { TrialParts } from "./trial-menu.ts";
import { TrialRun } from "./trial-run.ts";

interface AskedTrial {
  /** A name or an extension id. */
  readonly agent: string | undefined;
  /** Aliases or ids. Default: those of the environment. */
  readonly recordings: readonly string[];
  /** Whether nobody is asked anything. */
  readonly isApproved: boolean;
  readonly lockTimeout: number | undefined;
}

export interface EndedTrial {
  readonly environment: string | null;
  readonly exit: ExitCode;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent if no menu was sent. */
  readonly findings?: Findings;
  readonly matters?: readonly Matter[];
  /** The settings that would help, and that the user did not want in ivrctl.yaml. */
  readonly unwritten?: readonly TrialSetting[];
  /** Whether the trial has deleted its menu. */
  readonly isGone?: boolean;
  /** The name of the recording that it has made. */
  readonly recording?: string | undefined;
  readonly rescued?: Rescued | undefined;
  readonly unrecorded?: readonly Unrecorded[];
  /** The profile of the environment's service. */
  readonly vendor?: string | undefined;
}

/** Makes one menu on the service, compares it with what ivrctl assumes, and writes the settings that differ. */
export async function tryService(caller: Caller, asked: AskedTrial): Promise<EndedTrial> {
  const diagnostics = new Diagnostics();
  const progress = new ApplyProgress(caller);
  const interruption = new Interruption(caller.host, () => progress.interrupted());
  const project = await openProject(caller);
  const endpoint = chosenEndpoint(project, diagnostics, { token: true, state: true });
  try {
    const pulled = readSnapshot(project.files, project.environment?.name, new Diagnostics());
    const environment = project.environment && withListedNames(project.environment, pulled);
    const ended: Ended =
      endpoint && environment
        ? await tryOn({
            caller,
            asked,
            diagnostics,
            progress,
            interruption,
            project,
            endpoint,
            environment,
          })
        : { exit: 1 };
    return { environment: environment?.name ?? null, ...ended, diagnostics: diagnostics.sorted() };
  } finally {
    interruption.end();
  }
}

type Ended = Omit<EndedTrial, "environment" | "diagnostics">;

interface Task {
  readonly caller: Caller;
  readonly asked: AskedTrial;
  readonly diagnostics: Diagnostics;
  readonly progress: ApplyProgress;
  readonly interruption: Interruption;
  readonly project: Project;
  readonly endpoint: Endpoint;
  readonly environment: Environment;
}

/** Takes the lock of the state first, as apply does, so that a person answers no questions in vain. */
async function tryOn(task: Task): Promise<Ended> {
  const { caller, asked, diagnostics, interruption, endpoint, environment } = task;
  const { name } = environment;
  const store = await openStore(caller, name, endpoint.state, diagnostics);
  if (store === undefined) {
    reportToken(endpoint);
    return { exit: 1 };
  }
  const { halt: signal, stop } = interruption;
  const { lockTimeout } = asked;
  const watching = { signal, stop, lockTimeout, watcher: storeProgress(caller) };
  const request = lockRequest(caller, name, "trial", watching);
  const opened = { environment: name, store };
  const ended = await underLock(caller.root, opened, request, diagnostics, async (locked) => {
    const { state } = locked.session;
    const watcher = serviceWatcher(caller);
    const options = { root: caller.root, host: caller.host, watcher, state, signal };
    const connection = await openEndpoint(endpoint, options, diagnostics);
    if (connection === undefined) return { exit: 1 } as const;
    return tryWith(task, locked, connection).finally(() => connection.close());
  });
  return typeof ended === "string" ? { exit: refusalCodes[ended] } : ended;
}

async function tryWith(task: Task, locked: LockedState, connection: Connection): Promise<Ended> {
  const {
    caller,
    asked,
    diagnostics,
    progress: watcher,
    interruption,
    endpoint,
    environment,
  } = task;
  const { root, terminal } = caller;
  const { halt: signal } = interruption;
  const agents = await listAgents(connection, diagnostics, signal);
  const parts = agents && (await chooseParts(task, agents));
  if (signal.aborted) return { exit: 130 };
  if (parts === undefined) return { exit: 1 };
  terminal.say(introduction(endpoint, parts));
  const question = `Create this menu on ${environment.name} (${endpoint.address})?`;
  if (!asked.isApproved && !(await confirm(question, caller, signal))) {
    terminal.say("Nothing was sent.\n");
    return { exit: signal.aborted ? 130 : 1 };
  }
  const askAgain = (message: string, setting: TrialSetting) =>
    askToTryAgain(task, message, setting);
  const sending = { root, locked, connection, environment, watcher, interruption, diagnostics };
  const trial = new TrialRun({ ...sending, parts, askAgain });
  const refusal = await trial.create();
  if (refusal !== undefined) reportRefusal(task, refusal);
  else await offerRecording(task, trial);
  await trial.update();
  if (!asked.isApproved && trial.followUp && !signal.aborted) await askAbout(task, trial, parts);
  await trial.delete();
  const rescued = await trial.end();
  const { findings, followUp, unrecorded, isUnknown, recording } = trial;
  const open: Ref[] = [
    followUp ? `old:${followUp.id}` : menuRef(trial.key),
    recordingRef(recording ?? ""),
  ];
  const { state } = locked.session;
  const all = matters({ ...endpoint, environment: environment.name, state });
  const left = all.filter(({ refs }) => open.some((ref) => refs.includes(ref)));
  const unwritten = refusal === undefined ? await writeSettings(task, findings) : [];
  const isDifferent = [...findings.values()].some(
    ({ verdict, setting }) => verdict === "different" && !setting,
  );
  const isFailed = refusal !== undefined || unwritten.length > 0 || diagnostics.hasErrors;
  const exit = isUnknown ? 3 : signal.aborted ? 130 : isFailed || isDifferent ? 1 : 0;
  const seen = refusal === undefined && findings.size > 0 ? { findings, unwritten } : {};
  const isGone = findings.get("deletes")?.verdict === "confirmed";
  const { vendor } = environment;
  return { exit, ...seen, isGone, recording, matters: left, rescued, unrecorded, vendor };
}

// ---- Before the request ----

async function chooseParts(task: Task, agents: Agents): Promise<TrialParts | undefined> {
  const { endpoint, diagnostics } = task;
  const usable = agents.list.flatMap(toDestination);
  const agent = await chooseAgent(task, agents, usable);
  if (agent === undefined) return undefined;
  const other = usable.find(({ eid }) => eid !== agent.eid);
  const [first, ...more] = await chooseRecordings(task);
  if (first !== undefined) {
    return { agents: [agent, ...(other ? [other] : [])], recordings: [first, ...more] };
  }
  diagnostics.add(
    "IVR202",
    endpoint.settings.place,
    "A trial needs the id of a recording.",
    "Use --recording ID, with an id that the console shows, or add `recordings:` to ivrctl.yaml.",
  );
  return undefined;
}

function toDestination({ name, eid, blocked }: Agent): AgentDestination[] {
  return eid === null || blocked ? [] : [{ kind: "agent", eid, name }];
}

async function chooseAgent(
  { caller, asked, interruption, endpoint, diagnostics }: Task,
  agents: Agents,
  [first, ...rest]: readonly AgentDestination[],
): Promise<AgentDestination | undefined> {
  const report = (message: string, hint: Parameters<Diagnostics["add"]>[3]) =>
    diagnostics.add("IVR301", endpoint.settings.place, message, hint);
  if (first === undefined) {
    report("The service lists no agent who can get calls.", "Unblock an agent on the console.");
    return undefined;
  }
  const question = `Agent for key 1 (name or extension id) [${first.name}]: `;
  const typed = asked.isApproved
    ? asked.agent
    : (asked.agent ?? (await askText(question, caller, interruption.halt)));
  if (typed === undefined) return undefined;
  if (typed === "") return first;
  const named = agents.find({ agent: typed });
  const [found, ...others] = named.length > 0 ? named : agents.with("eid", typed);
  const [agent] = found ? toDestination(found) : [];
  if (others.length > 0) {
    const all = [found, ...others].flatMap((one) => (one ? `${one.name} (${one.eid})` : []));
    report(`${all.length} agents have the name ${typed}: ${listed(all)}.`, "Use the extension id.");
  } else if (agent === undefined) {
    const choice = `Choose one of ${many(rest.length + 1, "agent")}. To list them, run \`ivrctl agents\`.`;
    if (found) report(`${typed} is blocked, or has no extension.`, choice);
    else
      report(`There is no agent ${typed}.`, didYouMean(agents.nearest("agent", typed)) ?? choice);
  }
  return others.length > 0 ? undefined : agent;
}

/** Different recordings, so that a list shows which one is which. */
async function chooseRecordings({
  caller,
  asked,
  environment,
  interruption,
}: Task): Promise<string[]> {
  const aliases = [...environment.recordings.values()].flatMap(({ id }) => id ?? []);
  const known = [...new Set(aliases)].slice(0, fieldsOfKind("recording").length);
  const given = asked.recordings.map((one) => environment.recordings.get(one)?.id ?? one);
  const wrong = given.find((id) => !idPattern.test(id));
  if (wrong !== undefined) throw new UsageError(`\`${wrong}\` cannot be the id of a recording.`);
  if (given.length > 0 || asked.isApproved) return given.length > 0 ? given : known;
  const standard = known.length > 0 ? ` [${known.join(" ")}]` : "";
  const question = `Ids of recordings that the console shows${standard}: `;
  const typed = await askText(question, caller, interruption.halt);
  const ids = typed?.split(/[\s,]+/).filter((id) => idPattern.test(id)) ?? [];
  return ids.length > 0 ? ids : known;
}

function introduction(
  { operations, environment }: Endpoint,
  { agents, recordings }: TrialParts,
): string {
  const [agent, other] = agents;
  const keys = `key 1 ${agent.name ?? agent.eid}${other ? `, key 2 ${other.name ?? other.eid}` : ""}`;
  const then = [
    "reads what the service lists",
    operations.has("record") ? "makes a recording from a text" : [],
    operations.has("update") ? "updates the menu" : [],
    operations.has("delete") ? "deletes it" : [],
  ].flat();
  const left = operations.has("delete")
    ? ""
    : " You delete the menu on the console afterwards: until then it is a follow-up of the state.";
  return `The trial creates one menu on ${environment}: ${keys}, ${many(new Set(recordings).size, "recording")}. No phone number points to it, so no caller reaches it.\nThen it ${joined(then, "and")}.${left}\n`;
}

// ---- While it runs ----

/** Makes a recording, if apply would make those of this environment. */
async function offerRecording(
  { caller, asked, environment, interruption, endpoint }: Task,
  trial: TrialRun,
): Promise<void> {
  if (!endpoint.operations.has("record") || interruption.halt.aborted) return;
  const { voice } = environment.speech ?? {};
  const [language] = typeof voice === "object" ? Object.keys(voice) : [];
  const words = "This is a trial of ivrctl.";
  const spoken = spokenRecording(trial.key, words, language, environment.speech);
  if (typeof spoken === "string") {
    caller.terminal.say(
      `The trial makes no recording, because \`speech:\` has no \`${spoken}\`.\n`,
    );
    return;
  }
  const question = `Also make the recording “${spoken.id}” from a text? Only the console can delete it.`;
  if (!asked.isApproved && !(await confirm(question, caller, interruption.halt))) return;
  await trial.makeRecording(spoken.id, spoken.make);
}

async function askToTryAgain(
  { caller, asked, interruption }: Task,
  message: string,
  setting: TrialSetting,
): Promise<boolean> {
  caller.terminal.say(`The service refused the menu: ${message}\n`);
  const question = `Try once more with \`${settingText(setting)}\`?`;
  return asked.isApproved || confirm(question, caller, interruption.halt);
}

function reportRefusal(
  { endpoint, diagnostics, environment }: Task,
  { message, stop: isToken }: { readonly message: string; readonly stop: boolean },
): void {
  diagnostics.add(
    "IVR503",
    endpoint.settings.place,
    `The service refused to create the menu: ${message.replace(/[.\s]+$/, "")}. No menu was created.`,
    isToken
      ? "Use a token that can create menus. A token that can only read is for `read_token`."
      : {
          words: "Correct what the message names. To test the rest, run:",
          argv: suggest("doctor", [], environment.name),
        },
  );
}

/** Asks what only the console shows. */
async function askAbout(
  { caller, interruption }: Task,
  trial: TrialRun,
  parts: TrialParts,
): Promise<void> {
  const final = `recording ${parts.recordings.at(-1) ?? parts.recordings[0]}`;
  const isUpdated = trial.findings.get("updates")?.verdict === "confirmed";
  caller.terminal.say("Look at the menu on the console.\n");
  for (const [id, { question }] of trialTable) {
    if (question === undefined || (id === "last-key" && !isUpdated)) continue;
    const text = question.replace("{final}", final);
    const words = ["yes", "no", "skip"] as const;
    const answer = await choose(text, { words, standard: "skip" }, caller, interruption.halt);
    if (answer === undefined) return;
    const verdict = { yes: "confirmed", no: "different", skip: "not seen" } as const;
    trial.findings.set(id, { verdict: verdict[answer] });
  }
}

// ---- Afterwards ----

/** Shows what the settings change in ivrctl.yaml, and writes it if the user agrees. Returns those that are left. */
async function writeSettings(
  { caller, asked, project, environment, diagnostics, interruption }: Task,
  findings: Findings,
): Promise<readonly TrialSetting[]> {
  const settings = [...findings.values()].flatMap(({ setting }) => setting ?? []);
  const { terminal, root } = caller;
  const before = project.config?.source.text ?? "";
  const document = { file: configName };
  let after = before;
  try {
    for (const { path, value } of settings) {
      after = textAfter(after, document, (node) =>
        put(node, ["environments", environment.name, ...path], value),
      );
    }
  } catch (error) {
    if (!(error instanceof EditProblem)) throw error;
    return settings;
  }
  if (after === before) return [];
  const changes = new Map([[configName, { before, after }]]);
  terminal.say(editText(changes, terminal));
  const isAgreed =
    asked.isApproved || (await confirm("Write this to ivrctl.yaml?", caller, interruption.halt));
  return isAgreed && changeFiles(root, changes, diagnostics) ? [] : settings;
}
