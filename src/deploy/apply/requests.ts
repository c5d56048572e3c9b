import type { MenuContent } from "../../schema/plan.ts";
import { menuDestination } from "../../schema/wire.ts";
import { withIds } from "../plan/menu-ids.ts";
import { recordEvents } from "../plan/steps/events.ts";
import { type Ref, menuRef, nameIn } from "../../schema/ref.ts";
import { type Step, ownerOf } from "../plan/steps/step.ts";
import type { Lists } from "../plan/observed.ts";
import type { Writing } from "./attempt.ts";
import type { ApplyOptions } from "./apply-options.ts";
import { type Kind, requestKind } from "./results.ts";

/** What requests need to know about a run. */
interface Run {
  readonly options: ApplyOptions;
  /** The steps that nothing holds back. */
  readonly steps: readonly Step[];
  /** The lists that the present steps were decided with. */
  readonly lists: Lists;
  idOf(ref: Ref): string | undefined;
}

/** The request that does a step. */
interface StepRequest extends Pick<Writing, "intents" | "send"> {
  /** The message of the service in words that say what to do. */
  readonly explain?: (message: string) => string;
}

/** The request that does a step. Undefined if the state has nothing to do it with. */
export function requestFor(step: Step, run: Run): StepRequest | undefined {
  const kind = requestKind(step);
  return kind && requests[kind](step, run);
}

type Requester = (step: Step, run: Run) => StepRequest | undefined;

const requests: Readonly<Record<Kind, Requester>> = {
  create(step, run) {
    const { service, stop } = run.options;
    const content = contentToSend(step, run);
    if (content === undefined) return undefined;
    const key = nameIn(step.ref);
    const action = step.base ? "replace" : "create";
    // The ids of the menus with this name before the create, if the service can list menus.
    const listed = run.lists.menus?.named(content.payload.name);
    // The record of a menu that is created again goes when its first request leaves.
    const drop = run.steps.find(({ ref, event }) => ref === step.ref && event === "dropped");
    return {
      intents: ({ until, isFirst }) => [
        ...(isFirst && drop ? recordEvents(drop, "") : []),
        { kind: "intent", key, action, ...content, ...(listed && { listed }), until },
      ],
      send: (permit) => service.create(content.payload, key, stop, permit),
    };
  },

  update(step, run) {
    const { service, stop: signal } = run.options;
    const content = contentToSend(step, run);
    const id = run.idOf(step.ref);
    if (content === undefined || id === undefined) return undefined;
    const key = nameIn(step.ref);
    return {
      intents: ({ until }) => [{ kind: "intent", key, action: "update", ...content, until }],
      send: (permit) => service.updateMenu(id, content.payload, { key, signal, permit }),
    };
  },

  bind(step, run) {
    const { service, stop: signal } = run.options;
    const { ref, id, base } = step;
    const menu = ownerOf(step);
    const to = run.idOf(menu);
    if (to === undefined || id === undefined) return undefined;
    const [key, after] = [nameIn(menu), menuDestination(to)];
    const before = base?.["destination"] || null;
    const about = { kind: "intent", key, number: nameIn(ref), action: "bind", id } as const;
    return {
      intents: ({ until }) => [{ ...about, before, after, until }],
      send(permit) {
        // The name is sent as it is listed now, because the request overwrites it.
        const name = run.lists.numbers?.withId(id)?.name ?? null;
        return service.bindNumber({ id, name }, after, { key, signal, permit });
      },
      explain: withDescription,
    };
  },

  delete(step, run) {
    const { service, stop: signal, session } = run.options;
    const { ref, id } = step;
    const record = session.state.records.get(ref);
    if (!record?.current || record.kind === "number" || id === undefined) return undefined;
    const { key, current } = record;
    const subject = record.kind === "old" ? { key, follow_up: record.id } : { key };
    const { payload, digest, naming } = current;
    return {
      intents: ({ until }) => [
        { kind: "intent", ...subject, action: "delete", payload, digest, naming, until },
      ],
      send: (permit) => service.deleteMenu(id, { key: nameIn(ref), signal, permit }),
    };
  },
};

/** What a step sends, with the ids on record in place of references. An intent has exactly these fields. */
function contentToSend({ after }: Step, run: Run): MenuContent | undefined {
  if (!after?.menu) return undefined;
  const { payload, digest, naming } = withIds(after.menu, (key) => run.idOf(menuRef(key)));
  return { payload, digest, naming };
}

/** A service may refuse a request without the description, which ivrctl does not know. */
function withDescription(message: string): string {
  return /description/i.test(message)
    ? `${message}. ivrctl does not send the description of a number, because the list does not show it. Bind this number on the console`
    : message;
}
