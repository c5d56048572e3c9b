import { menuDestination } from "../../schema/wire.ts";
import {
  bindIntent,
  contentToSend,
  deleteIntent,
  menuIntent,
  recordEvents,
} from "../plan/steps/events.ts";
import { type Step, nameIn } from "../plan/steps/step.ts";
import type { Writing } from "./attempt.ts";
import { type Refusal, type Run, bindRefusal, changedSince, keptBy } from "./checks.ts";
import { type Kind, requestKind } from "./results.ts";

/** The request that does a step. */
interface StepRequest extends Pick<Writing, "intents" | "send"> {
  readonly kind: Kind;
  /** Says why the request must not be sent any more. */
  readonly refusal?: () => Promise<Refusal | undefined>;
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
  create(step, { options, steps, listedBefore }) {
    const { service, stop, session } = options;
    const content = contentToSend(step, session.state);
    if (content === undefined) return undefined;
    const listed = listedBefore?.named(content.payload.name);
    // The record of a menu that is created again goes when its first request leaves.
    const drop = steps.find(({ ref, event }) => ref === step.ref && event === "dropped");
    return {
      kind: "create",
      intents: ({ until, isFirst }) => [
        ...(isFirst && drop ? recordEvents(drop, "") : []),
        menuIntent(step, content, { until, listed }),
      ],
      send: (permit) => service.create(content.payload, nameIn(step.ref), stop, permit),
    };
  },

  update(step, run) {
    const { service, stop: signal, session } = run.options;
    const content = contentToSend(step, session.state);
    const id = run.idOf(step.ref);
    if (content === undefined || id === undefined) return undefined;
    return {
      kind: "update",
      refusal: async () => {
        const menus = await run.lists.menus.recent();
        return menus && changedSince(step, run, { menus });
      },
      intents: ({ until }) => [menuIntent(step, content, { until })],
      send: (permit) =>
        service.updateMenu(id, content.payload, { key: nameIn(step.ref), signal, permit }),
    };
  },

  bind(step, run) {
    const { service, stop: signal, session } = run.options;
    const [menu = step.ref] = step.needs;
    const { id = "" } = step;
    const to = run.idOf(menu);
    if (to === undefined) return undefined;
    let name: string | null = null;
    return {
      kind: "bind",
      refusal: async () => {
        const lists = await run.lists.recent();
        if (lists === undefined) return undefined;
        // The name is sent as it is listed now, because the request overwrites it.
        name = lists.numbers.withId(id)?.name ?? null;
        return bindRefusal(step, menu, run, lists);
      },
      intents: ({ until }) => [bindIntent(step, session.state, until)],
      send: (permit) =>
        service.bindNumber({ id, name }, menuDestination(to), {
          key: nameIn(menu),
          signal,
          permit,
        }),
      explain: withDescription,
    };
  },

  delete(step, run) {
    const { service, stop: signal, session } = run.options;
    const { id } = step;
    const record = run.recordOf(step.ref);
    if (record === undefined || id === undefined) return undefined;
    return {
      kind: "delete",
      refusal: async () => {
        const lists = await run.lists.recent();
        return lists && (keptBy(step, run, lists) ?? changedSince(step, run, lists));
      },
      intents: ({ until }) => [deleteIntent(step, record, session.state, until)],
      send: (permit) => service.deleteMenu(id, { key: nameIn(step.ref), signal, permit }),
    };
  },
};

/** A service may refuse a request without the description, which ivrctl does not know. */
function withDescription(message: string): string {
  return /description/i.test(message)
    ? `${message}. ivrctl does not send the description of a number, because the list does not show it. Bind this number on the console`
    : message;
}
