import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Destination } from "../../src/model/menu.ts";
import type { MenuOutput } from "../../src/schema/output/menu.ts";
import { payloadDigest } from "../support/payload-facts.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { Payload } from "../../src/schema/wire.ts";
import type { Intent, Journal } from "./journal.ts";
import type { Ran } from "./process.ts";
import type { Write } from "./request-recorder.ts";

/** A violation of a promise. */
export class Finding extends Error {}

/** The description of menus that somebody makes on the console. */
export const madeOnConsole = "Made on the console";

/** What the service has, and what happened to it. */
export interface Evidence {
  /** The first payload of every menu that was ever created, by its id. */
  readonly made: ReadonlyMap<string, Payload>;
  readonly records: Sandbox["records"];
  readonly numbers: Sandbox["numbers"];
  /** See RequestRecorder. */
  readonly hidden: ReadonlySet<string>;
  /** The phone numbers and menus that somebody bound or deleted on the console. */
  readonly touched: ReadonlySet<string>;
}

/** Compares the journal with the service. */
export function checkService(journal: Journal, evidence: Evidence): void {
  checkMenus(journal, evidence);
  checkNumbers(evidence);
  checkLinks(journal, evidence);
}

/** Checks that the state knows every menu that was created, and knows it by its own id. */
function checkMenus({ known, deleted }: Journal, { made, records, hidden }: Evidence): void {
  const there = new Set(records.map(({ number }) => String(number)));
  const lost = deleted.find(({ id = "" }) => there.has(id) && !hidden.has(id));
  if (lost !== undefined)
    throw new Finding(`(2) menu ${lost.id} is recorded as deleted, but it is there`);
  for (const { id, digest } of known) {
    const payload = made.get(id ?? "");
    if (id === undefined || (payload !== undefined && payloadDigest(payload) === digest)) continue;
    throw new Finding(`(2) a record has the id ${id}, which belongs to another menu`);
  }
  const left = [...known];
  for (const [id, payload] of made) {
    if (payload.description === madeOnConsole) continue;
    const digest = payloadDigest(payload);
    const byId = left.findIndex((menu) => menu.id === id);
    const at =
      byId === -1
        ? left.findIndex((menu) => menu.id === undefined && menu.digest === digest)
        : byId;
    if (at === -1)
      throw new Finding(
        `(2) the state does not know menu ${id} (“${payload.name}”) of the service`,
      );
    left.splice(at, 1);
  }
}

/** Checks that no phone number points to a menu that is gone, unless somebody did it on the console. */
function checkNumbers({ records, numbers, touched }: Evidence): void {
  const there = new Set(records.map(({ number }) => `ivr||${number}`));
  for (const { did, destination, id } of numbers) {
    if (!destination?.startsWith("ivr||") || there.has(destination)) continue;
    if (touched.has(id) || touched.has(destination)) continue;
    throw new Finding(`(9) ${did} links to ${destination}, which does not exist`);
  }
}

/** Checks that no menu links to one that ivrctl has deleted. */
function checkLinks({ deleted }: Journal, { records, hidden, touched }: Evidence): void {
  const there = new Set(records.map(({ number }) => String(number)));
  const gone = deleted.flatMap(({ id = "" }) => (there.has(id) ? [] : `ivr||${id}`));
  for (const { number, payload } of records) {
    if (hidden.has(String(number))) continue;
    const found = gone.find(
      (target) => payload.destination.includes(target) && !touched.has(target),
    );
    if (found !== undefined)
      throw new Finding(`(9) menu ${number} points to ${found}, which ivrctl has deleted`);
  }
}

/** Checks that the service has the recorded content, except for menus that are not sent yet. */
export function checkContent(
  { current }: Journal,
  listed: Evidence["records"],
  except: ReadonlySet<string>,
): void {
  const records = new Map(listed.map((record) => [String(record.number), record.payload]));
  for (const [key, { id, content }] of current) {
    // A menu that somebody changed before ivrctl knew its id is for a person to find.
    if (id === undefined || except.has(key)) continue;
    const payload = records.get(id);
    if (payload === undefined || payloadDigest(payload) !== content)
      throw new Finding(`(9) ${key} (menu ${id}) has other content than on record`);
  }
}

/** An apply that has ended. */
interface Run {
  readonly ran: Ran;
  /** The id of its lock. */
  readonly id: string;
  readonly about: {
    /** Only keys in it count for the exit code. */
    readonly scope?: (key: string) => boolean;
    /** Another run may hold the lock. */
    readonly rival?: boolean;
  };
  readonly concurrency: number;
}

/** Something that needs a person. */
interface MatterJson {
  readonly kind: string;
  readonly refs: readonly string[];
  readonly code: string;
  readonly exit: number;
  readonly fix: readonly string[];
}

export interface PlanJson {
  readonly refused: boolean;
  readonly matters: readonly MatterJson[];
  readonly state: { readonly serial: number };
  readonly changes: readonly {
    readonly key: string;
    readonly action: string;
    readonly after: MenuOutput | null;
    readonly first?: MenuOutput;
    readonly bind?: readonly { readonly id: string; readonly after: Destination }[];
  }[];
  /** What the list proves. Only with a service that lists menus. */
  readonly learned?: readonly {
    readonly key: string;
    readonly number?: string;
    readonly follow_up?: string;
    readonly resolved?: string;
  }[];
  readonly follow_ups: readonly { readonly id: string; readonly key: string }[];
  readonly diagnostics: readonly {
    readonly code: string;
    readonly severity: string;
    readonly file: string;
    readonly message: string;
    readonly hint?: string;
  }[];
}

interface ApplyJson {
  readonly results: readonly {
    readonly key: string;
    readonly action: string;
    readonly outcome: string;
    /** Why the update that adds the links of a new menu was not done. */
    readonly incomplete?: object;
  }[];
}

/** Compares what an apply printed with the journal and with what it sent. */
export function checkApply(
  { ran, id, about, concurrency }: Run,
  journal: Journal,
  writes: readonly Write[],
): void {
  const { exit, stdout } = ran;
  const { scope = () => true, rival = false } = about;
  const intents = journal.intents.filter(({ run: by }) => by === id);
  const open = intents.filter(({ ended }) => ended === null);
  const silent = open.filter(({ seen }) => !seen);
  const shown = shownOf(ran);
  if (silent.length > concurrency) {
    const keys = silent.map(({ key }) => key).join(", ");
    throw new Finding(`(4) ${keys} pending, but the concurrency is ${concurrency}`);
  }
  if (exit === null) return;
  const keys = open.map(({ key }) => key).join(", ");
  if (open.length > 0 && exit !== 3) {
    throw new Finding(`(5) ${keys} left unknown by an apply that exits with ${exit}${shown}`);
  }
  // An apply does not report what another run has in flight.
  const isReported = ({ run: by }: Intent) => !rival || by === id;
  const waiting = [...journal.pending].flatMap(([key, intent]) =>
    scope(key) && isReported(intent) ? key : [],
  );
  if (exit === 0 && waiting.length > 0) {
    throw new Finding(`(5) ${waiting.join(", ")} unknown, but the apply exits with 0${shown}`);
  }
  // Another run may have recorded what this one could not. And if the store was lost, this
  // run cannot know whether its last events were recorded.
  const unsure = rival || /IVR671|IVR603/.test(stdout);
  // A target can have the unknown outcome of its former key, which is not a target itself.
  if (exit === 3 && journal.pending.size + journal.others.size === 0 && !unsure) {
    throw new Finding(`(5) nothing is unknown, but the apply exits with 3${shown}`);
  }
  if (stdout === "") return;
  const { results = [] } = JSON.parse(stdout) as Partial<ApplyJson>;
  for (const { key, action, outcome, incomplete } of results) {
    const bind = [...journal.others.values()].find(
      (one) => one.key === key && one.operation === "bind",
    );
    const open = journal.pending.get(key);
    const intent = action !== "bind" ? open : outcome === "unknown" ? (bind ?? open) : bind;
    // A list may prove the outcome of an earlier run, and the apply was refused before it recorded that.
    const isOwn = outcome === "not_attempted" ? intent?.run === id : intent && isReported(intent);
    const pending = intent !== undefined && (outcome === "unknown" || isOwn === true);
    if (pending !== (outcome === "unknown") && !(unsure && !pending)) {
      throw new Finding(`(5) ${key}: “${outcome}”, but pending is ${pending}${shown}`);
    }
    const sentFor = intents.filter((intent) => intent.key === key && intent.operation !== "bind");
    // What the create became counts, if the update after it was certainly not done.
    const isUndone = incomplete && /^(?:failed|resolved not-updated)$/;
    if (isUndone?.test(String(sentFor.at(-1)?.ended)) === true) sentFor.pop();
    const last = sentFor.at(-1);
    if (incomplete && last?.operation !== "create")
      throw new Finding(`(5) ${key}: “incomplete”, but its update is ${last?.ended}${shown}`);
    // A menu in a circle is created, and then updated.
    const done: Record<string, RegExp> = {
      created: /(?:created|^updated|d updated)$/,
      updated: /(?:^|d )updated$/,
      deleted: /(?:^|d )deleted$/,
    };
    if (!(done[outcome] ?? /^/).test(String(last?.ended))) {
      throw new Finding(`(5) ${key}: “${outcome}”, but recorded as ${last?.ended}${shown}`);
    }
    const sent = writes.some(({ intent }) => intent === last?.seq);
    if (outcome === "not_attempted" && last !== undefined && sent) {
      throw new Finding(`(5) ${key}: ${action} “not attempted”, but it was sent${shown}`);
    }
  }
}

/** Compares the recorded outcome of a request with its answer. */
export function checkWrite(
  { name, intent, outcome, status, digest }: Write,
  journal: Journal,
): void {
  if (intent === undefined) return;
  const on = journal.intent(intent);
  const answered = `“${name}” was answered with ${status ?? "nothing"} (${outcome})`;
  if (on?.digest !== digest) {
    throw new Finding(`(2) ${answered}, but its intent (event ${intent}) is missing`);
  }
  const allowedFor: Record<string, readonly string[]> = {
    created: ["done"],
    updated: ["done"],
    deleted: ["done"],
    bound: ["done"],
    failed: ["failed", "not-processed"],
  };
  const allowed = on.ended === null ? undefined : allowedFor[on.ended];
  if (allowed !== undefined && !allowed.includes(outcome)) {
    throw new Finding(`(1) ${answered}, but is recorded as ${on.ended}`);
  }
}

/** Compares a plan with the journal. */
export function checkPlan(plan: PlanJson, journal: Journal): void {
  const unknown = plan.changes.filter(({ action }) => action === "unknown");
  const resolved = (plan.learned ?? []).filter(
    (fact) => fact.resolved !== undefined && fact.number === undefined && !fact.follow_up,
  );
  agree("(2) unknown in the plan, and pending in the journal", [
    [...unknown, ...resolved].map(({ key }) => key),
    [...journal.pending.keys()],
  ]);
  agree("(2) follow-ups in the plan, and in the journal", [
    plan.follow_ups.map(({ id }) => id),
    [...journal.followUps.keys()],
  ]);
  agree("(5) the serial of the plan, and of the journal", [
    [String(plan.state.serial)],
    [String(journal.serial)],
  ]);
}

/**
 * Checks that a plan says exactly which phone numbers a person has not pointed yet. `wanted` has the key of
 * the menu that each number belongs to.
 */
export function checkPointing(
  { refused, matters, changes, diagnostics }: PlanJson,
  journal: Journal,
  wanted: ReadonlyMap<string, string>,
): void {
  if (refused) return;
  const shown = new Set(
    matters.flatMap(({ kind, refs }) => (/^(?:to|will)-point$/.test(kind) ? refs : [])),
  );
  const changed = new Set(changes.flatMap(({ key, action }) => (action === "reword" ? [] : key)));
  const invalid = new Set(
    diagnostics.flatMap(({ severity, file }) => (severity === "error" ? file : [])),
  );
  for (const [number, key] of wanted) {
    const menu = journal.current.get(key);
    if (menu === undefined || changed.has(key) || invalid.has(`ivrs/${key}.yaml`)) continue;
    // The oldest build does not record who points numbers, so these may point to its menus.
    const may = journal.accounted.some(
      ({ pointed, numbers }) => pointed === undefined && numbers.includes(number),
    );
    const isPointed = menu.pointed?.has(number) === true;
    if (may || shown.has(`number:${number}`) !== isPointed) continue;
    throw new Finding(
      isPointed
        ? `(9) the plan asks to point ${number} to ${key}, which a person has done`
        : `(9) nobody has pointed ${number} to ${key}, and the plan does not say so`,
    );
  }
}

/** Checks that no file of the state, the rescue files or the folder contains a secret. */
export function checkSecrets(folder: string, secrets: readonly string[]): void {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && /^(?:state|rescue)$/.test(entry.name)) checkSecrets(path, secrets);
    if (!entry.isFile()) continue;
    const text = readFileSync(path, "utf8");
    if (secrets.some((secret) => text.includes(secret)))
      throw new Finding(`(7) ${path} contains the token`);
  }
}

export function agree(what: string, [a, b]: readonly [readonly string[], readonly string[]]): void {
  const [left, right] = [[...a].sort().join(", "), [...b].sort().join(", ")];
  if (left !== right) throw new Finding(`${what}: ${left || "none"} / ${right || "none"}`);
}

/** The beginning and end of the output of a run. */
export function shownOf({ args, exit, signal, stdout, stderr }: Ran): string {
  const lines = stdout.replaceAll(/\n\s*/g, " ").slice(0, 6000);
  return `\n--- ivrctl ${args.join(" ")} (exit ${exit ?? signal})\n${lines}\n${stderr.slice(-1500)}\n---`;
}
