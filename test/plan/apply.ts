import { stateAfter } from "../../src/deploy/plan/reconcile.ts";
import {
  bindIntent,
  contentToSend,
  deleteIntent,
  menuIntent,
  recordEvents,
} from "../../src/deploy/plan/steps/events.ts";
import type { Lists } from "../../src/deploy/plan/steps/resources.ts";
import {
  type RecordedId,
  decidedSince,
  review,
  stepsDone,
} from "../../src/deploy/plan/steps/review.ts";
import {
  type Ref,
  type Step,
  isNumber,
  isOld,
  isRefused,
  nameIn,
} from "../../src/deploy/plan/steps/step.ts";
import { State, type StateView } from "../../src/deploy/state/state.ts";
import { type Entry, type StateEvent, stateVersion } from "../../src/schema/state.ts";
import type { Payload } from "../../src/schema/wire.ts";
import { groupBy } from "../../src/util/group-by.ts";
import { type Allowed, type Files, canOf, learned, stepsOf } from "./world.ts";

/** A state and all its events. */
export class Log {
  readonly state = new State();
  readonly entries: Entry[] = [];

  constructor() {
    const origin = { id: "L", environment: "test", address: "sandbox" };
    this.add("begin", { kind: "begun", version: stateVersion, ...origin });
  }

  add(run: string, ...events: readonly StateEvent[]): void {
    for (const event of events) {
      const entry = { seq: this.state.serial + 1, at: time, run, by: run, event };
      this.state.take(entry, "");
      this.entries.push(entry);
    }
  }
}

const time = "2026-01-01T18:05:00.000Z";

export interface Saved {
  readonly name: string;
  readonly serial: number;
  readonly files: Files;
  readonly allowed: Allowed;
  readonly steps: readonly Step[];
}

export function save(name: string, files: Files, log: Log, lists: Lists, allowed: Allowed): Saved {
  const state = stateAfter(log.state, learned(log.state, lists), lists.menus?.at);
  const steps = stepsOf(files, state, lists, canOf(lists, allowed));
  return { name, serial: log.entries.length, files, allowed, steps };
}

export interface Service {
  lists(): Lists;
  send(step: Step, sent: Sent): "done" | "failed" | "unknown";
}

/** The payload of a create or an update, or the destination of a phone number. */
export type Sent = { readonly payload: Payload } | { readonly leads: string } | "delete";

export interface Applied {
  readonly refused?: "stale" | "holds" | "steps";
  /** Reviewed steps that something else has made unnecessary. */
  readonly unneeded: readonly Step[];
}

export function idIn({ keys }: StateView): (ref: Ref) => string | undefined {
  return (ref) => keys.get(nameIn(ref))?.current?.identified?.id;
}

/** Observes, learns, plans again and does one step that is ready, until none is left. */
export function applySaved(saved: Saved, service: Service, log: Log): Applied {
  const { name: run, files, allowed } = saved;
  const since = log.entries.slice(saved.serial);
  const { done, own } = stepsDone(saved.steps, since, learned(log.state, service.lists()));
  const left = saved.steps.filter((step) => !done.has(step));
  const wanted = left.filter(({ holds }) => holds.length === 0);
  const reviewed = saved.steps.filter(({ holds }) => holds.length === 0);
  if (decidedSince(reviewed, since, (entry) => own.has(entry))) {
    return { refused: "stale", unneeded: [] };
  }
  const tried = new Set<string>();
  let unneeded: readonly Step[] = [];
  for (let turn = 0; ; turn += 1) {
    const lists = service.lists();
    log.add(run, ...learned(log.state, lists));
    const { state } = log;
    const steps = stepsOf(files, state, lists, canOf(lists, allowed));
    const { doable, unreviewed } = review(left, steps, idIn(state));
    if (turn === 0) {
      if (isRefused(steps)) return { refused: "holds", unneeded };
      if (unreviewed.length > 0) return { refused: "steps", unneeded };
      const open = new Set(steps.map(({ ref }) => ref));
      unneeded = wanted.filter(({ ref }) => !open.has(ref));
    }
    const step = readySteps(doable, steps, idIn(state)).find((one) => !tried.has(nameOf(one)));
    if (step === undefined) return { unneeded };
    tried.add(nameOf(step));
    if (step.op === "record") log.add(run, ...recordEvents(step, "listed"));
    else send(step, service, lists, log, run);
  }
}

function nameOf({ ref, op, event }: Step): string {
  return `${ref} ${op} ${event ?? ""}`;
}

function send(step: Step, service: Service, lists: Lists, log: Log, run: string): void {
  const { ref, op, after } = step;
  const name = String(after?.facts["name"]);
  const listed = op === "create" ? lists.menus?.named(name) : undefined;
  const old = isOld(ref)
    ? log.state.followUps.get(nameIn(ref))?.record
    : log.state.keys.get(nameIn(ref))?.current;
  const content = op === "delete" ? old : contentToSend(step, log.state);
  const attempt = { until: time, listed };
  const intent = isNumber(ref)
    ? bindIntent(step, log.state, time)
    : !content
      ? undefined
      : op === "delete"
        ? deleteIntent(step, content, log.state, time)
        : menuIntent(step, content, attempt);
  if (intent === undefined) throw new Error(`no intent: ${nameOf(step)}`);
  log.add(run, intent);
  if (intent.kind === "bind-intent") {
    const outcome = service.send(step, { leads: intent.after });
    const kind = { done: "bound", failed: "not-bound", unknown: "bind-unknown" } as const;
    const { key, number } = intent;
    log.add(run, { kind: kind[outcome], key, number, status: 200, message: "" });
  } else if (intent.kind === "intent") {
    const { key, payload } = intent;
    const outcome = service.send(step, op === "delete" ? "delete" : { payload });
    const done = op === "delete" ? "deleted" : op === "update" ? "updated" : "created";
    const subject = isOld(ref) ? { key, follow_up: nameIn(ref) } : { key };
    log.add(run, {
      kind: outcome === "done" ? done : outcome,
      ...subject,
      status: 200,
      message: "",
    });
  }
}

/**
 * The steps that can be done now, in their order. A menu needs the ids of the menus that it links to. A
 * phone number and a delete need everything about what they need to be done.
 */
function readySteps(doable: readonly Step[], now: readonly Step[], idOf: RecordedId): Step[] {
  const open = groupBy(now, ({ ref }) => ref);
  const isDone = (step: Step, ref: Ref) =>
    (open.get(ref) ?? []).every((other) => other === step || !blocks(step, other));
  return doable.filter((step) => {
    if (open.get(step.ref)?.[0] !== step) return false;
    if (step.op === "record") return true;
    return step.needs.every(
      (ref) =>
        (ref === step.ref && step.op !== "create") ||
        (isDone(step, ref) && (step.op === "delete" || idOf(ref) !== undefined)),
    );
  });
}

function blocks(step: Step, other: Step): boolean {
  return other.op === "create" || step.op === "delete" || isNumber(step.ref);
}
