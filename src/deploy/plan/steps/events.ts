import type { StateEvent } from "../../../schema/state.ts";
import { menuDestination, referencedMenu } from "../../../schema/wire.ts";
import type { StateView } from "../../state/state.ts";
import { withIds } from "../links.ts";
import type { MenuContent } from "../../../schema/plan.ts";
import { type Step, isOld, menuRef, nameIn } from "./step.ts";

/** What a step sends, with the ids on record in place of references. */
export function contentToSend(step: Step, state: StateView): MenuContent | undefined {
  const menu = step.after?.menu;
  return menu && withIds(menu, (key) => state.keys.get(key)?.current?.identified?.id);
}

/** The events of a step that needs no request. `listed` says what the service lists. */
export function recordEvents(step: Step, listed: string): StateEvent[] {
  const { ref, event, from, spare, id = "?", after, links } = step;
  const key = nameIn(ref);
  switch (event) {
    case "moved":
      return from === undefined ? [] : [{ kind: "moved", key, from: nameIn(from) }];
    case "removed":
      return [{ kind: "removed", key }];
    case "dropped": {
      if (isOld(ref)) {
        return [{ kind: "done", follow_up: key, evidence: `menu ${id} is not among ${listed}` }];
      }
      const gone = `the service no longer lists menu ${id}`;
      const evidence = after
        ? `${gone}, and recreating it was allowed`
        : `its file was deleted, and ${gone}`;
      return [{ kind: "dropped", key, evidence }];
    }
    case "restored":
      return spare === undefined ? [] : [{ kind: "restored", key, follow_up: nameIn(spare) }];
    case "matched": {
      const content = after?.menu && withIds(after.menu, (to) => links[menuRef(to)]);
      if (content === undefined) return [];
      const { payload, digest, naming } = content;
      const evidence = `menu ${id} has the content of the file (${listed})`;
      return [{ kind: "changed-on-console", key, payload, digest, naming, evidence }];
    }
    case undefined:
      return [];
  }
}

/** What the events of the request of a step are about: the record of a key, or a follow-up of it. */
function eventSubject(
  { ref }: Pick<Step, "ref">,
  { followUps }: StateView,
): { readonly key: string; readonly follow_up?: string } {
  const name = nameIn(ref);
  const followUp = isOld(ref) ? followUps.get(name) : undefined;
  return followUp === undefined ? { key: name } : { key: followUp.key, follow_up: name };
}

interface Attempt {
  readonly until: string;
  /** The ids of the menus with this name before a create, if the service can list menus. */
  readonly listed?: readonly string[] | undefined;
}

/** The event that is recorded before the request of a step that sends a menu leaves. */
export function menuIntent(
  { ref, op, base }: Step,
  { payload, digest, naming }: MenuContent,
  { until, listed }: Attempt,
): StateEvent {
  const key = nameIn(ref);
  const action = op === "update" ? "update" : base ? "replace" : "create";
  const before = listed === undefined ? {} : { listed };
  return { kind: "intent", key, action, payload, digest, naming, ...before, until };
}

/** The event that is recorded before a request that deletes a menu leaves. */
export function deleteIntent(
  step: Step,
  { payload, digest, naming }: MenuContent,
  state: StateView,
  until: string,
): StateEvent {
  const subject = eventSubject(step, state);
  return { kind: "intent", ...subject, action: "delete", payload, digest, naming, until };
}

/** The event that is recorded before the request that binds a phone number leaves. */
export function bindIntent(step: Step, state: StateView, until: string): StateEvent {
  const { ref, id, base, after } = step;
  const key = referencedMenu(after?.facts["destination"] ?? "");
  const menu = key === undefined ? undefined : state.keys.get(key)?.current?.identified?.id;
  if (key === undefined || menu === undefined || id === undefined) {
    throw new Error(`${ref} cannot be bound to a menu without an id`);
  }
  return {
    kind: "intent",
    key,
    number: nameIn(ref),
    action: "bind",
    id,
    before: base?.["destination"] || null,
    after: menuDestination(menu),
    until,
  };
}
