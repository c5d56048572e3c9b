import { type ExitCode, UsageError } from "../command.ts";
import type { StateContext } from "../state.ts";
import { changeState, words } from "./changing.ts";
import { suggestions } from "./keys.ts";

/** Says what became of creates whose outcome is unknown. */
export async function resolve(context: StateContext): Promise<ExitCode> {
  const { created, absent } = context.flags;
  if (created === absent) {
    throw new UsageError(
      created
        ? "Either --created or --absent: it is there or it is not."
        : "state resolve needs --created, where it is on the provider's console, or --absent, where it is not.",
    );
  }
  const as = created ? "created" : "absent";
  const evidence = words(context.flags.evidence, "evidence") ?? null;
  const changed = [...new Set(context.args)];
  return changeState(context, "resolve", ({ state, environment, place, diagnostics }) => {
    const unknown = [...state.keys].flatMap(([key, { pending }]) => (pending ? key : []));
    const suggest = suggestions(unknown);
    for (const key of changed) {
      const record = state.keys.get(key);
      if (record?.pending) continue;
      diagnostics.addFile(
        "IVR631",
        place,
        record === undefined
          ? `${key} has no record in the state of ${environment}, so nothing about it is unknown.`
          : `The outcome of ${key} is not unknown: its record is settled.`,
        suggest(key),
      );
    }
    return { events: changed.map((key) => ({ kind: "resolved", key, as, evidence })), changed };
  });
}

const maxListed = 10;

/** Strikes follow-ups. */
export async function done(context: StateContext): Promise<ExitCode> {
  const evidence = words(context.flags.evidence, "evidence") ?? null;
  const changed = [...new Set(context.args.map((id) => id.toUpperCase()))];
  return changeState(context, "done", ({ state, environment, place, diagnostics }) => {
    const open = [...state.followUps.keys()];
    const more = open.length > maxListed ? ", …" : "";
    for (const id of changed) {
      if (state.followUps.has(id)) continue;
      diagnostics.addFile(
        "IVR631",
        place,
        `${id} is no open follow-up of ${environment}.`,
        open.length === 0
          ? "There are no open ones."
          : `Open: ${open.slice(0, maxListed).join(", ")}${more}`,
      );
    }
    return { events: changed.map((id) => ({ kind: "done", follow_up: id, evidence })), changed };
  });
}
