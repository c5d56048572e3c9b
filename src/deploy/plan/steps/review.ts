import type { Content } from "../../listed/observed.ts";
import { isDeepStrictEqual } from "node:util";
import type { Entry, Intent, StateEvent } from "../../../schema/state.ts";
import { groupBy } from "../../../util/group-by.ts";
import { destinationsOf } from "../../../model/menu.ts";
import { fieldsOfKind } from "../../../schema/fields.ts";
import { type Ref, menuRef, recordingRef, subjectRef } from "../../../schema/ref.ts";
import { type Step, isSame, isSent, linksIn, contentWithIds } from "./step.ts";

export type RecordedId = (ref: Ref) => string | undefined;

/** What the steps of a reviewed plan are now, when they are decided again. */
export interface ReviewedSteps {
  /** The steps that were reviewed and may be done. */
  readonly doable: readonly Step[];
  /** Steps that nobody reviewed. The plan is stale. */
  readonly unreviewed: readonly Step[];
  /** The reviewed steps that are not there any more. What waits for an unknown outcome is. */
  readonly vanished: readonly Step[];
}

/** Compares reviewed steps with those of a new plan. What was held back at review is left alone. */
export function review(
  reviewed: readonly Step[],
  now: readonly Step[],
  idOf: RecordedId,
): ReviewedSteps {
  const byRef = groupBy(reviewed, ({ ref }) => ref);
  const doable: Step[] = [];
  const unreviewed: Step[] = [];
  for (const step of now) {
    if (step.holds.length > 0) continue;
    const planned = byRef.get(step.ref) ?? [];
    const same = planned.filter((then) => isReviewed(step, then, idOf));
    if (same.some(({ holds }) => holds.length === 0)) doable.push(step);
    else if (same.length === 0 && planned.every(({ holds }) => holds.length === 0)) {
      unreviewed.push(step);
    }
  }
  const present = groupBy(now, ({ ref }) => ref);
  const vanished = reviewed.filter(
    (then) =>
      then.holds.length === 0 &&
      !(present.get(then.ref) ?? []).some(
        (step) => isReviewed(step, then, idOf) || step.holds.some(({ why }) => why === "unknown"),
      ),
  );
  return { doable, unreviewed, vanished };
}

/** Whether a step is the reviewed one. Where that named a menu without an id, the id may be known now. */
export function isReviewed(now: Step, then: Step, idOf: RecordedId): boolean {
  const base = then.base && contentWithIds(then.base, idOf);
  return (
    isDeepStrictEqual(comparable(now), comparable(then)) &&
    isSameOrNone(now.base, base) &&
    isSameOrNone(now.after, then.after) &&
    // A permission is for this menu, and not for the next one with its key.
    (then.id === undefined || now.id === then.id) &&
    Object.entries(then.links).every(([ref, id]) => now.links[ref] === id)
  );
}

function comparable({ op, from, spare, webhooks = [] }: Step) {
  return { op, from, spare, webhooks };
}

function isSameOrNone(a: Content | undefined, b: Content | undefined): boolean {
  return a === undefined || b === undefined ? a === b : isSame(a, b);
}

/**
 * The reviewed steps that events show to be done. What did the same as a step counts, whoever did it:
 * nothing else can come from an earlier run of the plan.
 */
export function stepsDone(
  steps: readonly Step[],
  entries: readonly Entry[],
  /** What the lists prove, and what is not recorded yet. */
  learned: readonly StateEvent[] = [],
): { readonly done: ReadonlySet<Step>; readonly ours: ReadonlySet<Entry> } {
  const done = new Set<Step>();
  const ours = new Set<Entry>();
  const sent = new Map<number, Step>();
  const answered = (event: StateEvent) => {
    const step = event.kind === "outcome" && event.as === "done" && sent.get(event.intent);
    if (step) done.add(step);
  };
  for (const entry of entries) {
    const { event, seq } = entry;
    answered(event);
    const step = steps.find((one) => one.holds.length === 0 && isDoneBy(one, event));
    if (step === undefined) continue;
    ours.add(entry);
    if (isSent(step)) sent.set(seq, step);
    else done.add(step);
  }
  learned.forEach(answered);
  return { done, ours };
}

/** Whether an event does what a step does, or begins the request for it. */
function isDoneBy({ ref, op, from, spare, after }: Step, done: StateEvent): boolean {
  if (!refsIn(done).includes(ref)) return false;
  switch (done.kind) {
    case "intent":
      if (done.action === "bind") {
        return op === "bind" && after !== undefined && linksIn(after)[0] === menuRef(done.key);
      }
      if (done.action === "record") return op === "create";
      return (
        op === (done.action === "replace" ? "create" : done.action) &&
        (op === "delete" || (after !== undefined && isSentAs(after, done)))
      );
    case "moved":
      return op === "move" && from === menuRef(done.from);
    case "restored":
      return op === "restore" && spare === `old:${done.follow_up}`;
    case "removed":
      return op === "forget";
    case "dropped":
    case "done":
      return op === "drop";
    case "changed-on-console":
      return op === "match";
    case "named":
      return op === "reword";
    default:
      return false;
  }
}

/** Whether a request sent this content, with the ids that menus had then. */
function isSentAs(
  content: Content,
  { menu }: Exclude<Intent, { action: "bind" | "record" }>,
): boolean {
  const ids = new Map<Ref, string | undefined>(
    destinationsOf(menu).flatMap((to) =>
      to.kind === "menu" && to.key !== undefined ? [[menuRef(to.key), to.id]] : [],
    ),
  );
  for (const path of "menu" in content ? fieldsOfKind("recording") : []) {
    const [wanted, sent] = ["menu" in content ? content.menu[path] : undefined, menu[path]];
    const isSameText = wanted?.alias === sent?.alias && wanted?.says === sent?.says;
    if (wanted?.make && sent && isSameText) ids.set(recordingRef(wanted.id), sent.id);
  }
  return isSame(
    contentWithIds(content, (to) => ids.get(to)),
    { menu },
  );
}

/**
 * The first resource of a plan that somebody decided about after the plan was made. Answers are no
 * decisions: the outcome of a request, and an id.
 */
export function decidedSince(
  steps: readonly Step[],
  entries: readonly Entry[],
  ours: ReadonlySet<Entry>,
): Ref | undefined {
  const refs = new Set(steps.flatMap(({ ref, from, spare }) => [ref, from, spare]));
  return entries
    .filter((entry) => !ours.has(entry) && eventKinds[entry.event.kind] === "decision")
    .flatMap(({ event }) => refsIn(event))
    .find((ref) => refs.has(ref));
}

function refsIn(event: StateEvent): Ref[] {
  switch (event.kind) {
    case "moved":
      return [menuRef(event.key), menuRef(event.from)];
    case "restored":
      return [menuRef(event.key), `old:${event.follow_up}`];
    case "done":
      return [`old:${event.follow_up}`];
    default:
      return "key" in event ? [subjectRef(event)] : [];
  }
}

const eventKinds: Readonly<Record<StateEvent["kind"], "answer" | "decision">> = {
  begun: "answer",
  pointed: "answer",
  intent: "decision",
  outcome: "answer",
  "created-after-all": "answer",
  moved: "decision",
  named: "answer",
  text: "answer",
  removed: "decision",
  restored: "decision",
  done: "decision",
  adopted: "decision",
  dropped: "decision",
  "changed-on-console": "decision",
  identified: "answer",
  "number-seen": "answer",
  rebound: "answer",
  absent: "answer",
  applied: "answer",
  completed: "answer",
};
