import { existingMenus } from "../deploy/plan/existing-menus.ts";
import { withUnknown } from "../deploy/listed/reconcile.ts";
import { leftRescues } from "../deploy/state/rescue-files.ts";
import { readState } from "../deploy/state/access.ts";
import { meanings, reportTwoMeanings, reportAt, selectNames } from "../deploy/state/change.ts";
import { matters } from "../deploy/matters/matters.ts";
import { fileMenusAt } from "../deploy/matters/menus-in-files.ts";
import { entriesAbout, replayHistory } from "../deploy/state/history.ts";
import { subjectsIn } from "../deploy/state/resolve.ts";
import type { StateView } from "../deploy/state/state.ts";
import { historyJson, historyResult } from "../views/state-history.ts";
import { keysJson, keysResult, listJson, listResult } from "../views/state-lists.ts";
import { type Context, command } from "../cli/command.ts";
import { runOnState } from "../operations/state-change.ts";
import type { ResultIn } from "../views/result.ts";

const listFlags = {
  "follow-ups": { about: "Show only the open follow-ups" },
} as const;

export const list = command({
  about: "List all menu keys in the state, the open follow-ups, and who holds the lock",
  flags: listFlags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl state list --env production", "the state of a different environment"],
    ["ivrctl state list --follow-ups", "the old menus to take out of service"],
  ],
  run: showState,
});

export const show = command({
  arguments: { "<KEY..>": "Menu keys, or follow-ups such as F1" },
  about:
    "Show everything recorded about menu keys: what was sent, its outcome, and what to do next",
  formats: ["text", "json"],
  examples: [["ivrctl state show front-desk", "one menu"]],
  run: showRecords,
});

export const history = command({
  arguments: { "[KEY..]": "Menu keys (default: all)" },
  about: "Show the history: who did what, and when",
  formats: ["text", "json"],
  examples: [
    ["ivrctl state history", "everything"],
    ["ivrctl state history front-desk --format json", "one menu, for a script"],
  ],
  run: showEvents,
});

async function showState(context: Context<typeof listFlags>): Promise<ResultIn<"json">> {
  return runOnState(
    context,
    async ({ environment, operations, store }, diagnostics) => {
      const read = await readState(store, diagnostics);
      if (read === undefined) return "failed";
      const { lock, holder } = read;
      const state = await withLost(read.state, context);
      return listResult({
        environment,
        place: store.place,
        state,
        lock: lock && { ...lock, has_ended: holder === null },
        matters: matters({
          environment,
          rescues: leftRescues(context.root, environment, diagnostics),
          state,
          lock,
          ...(lock && holder === null && { hasEnded: true }),
          ...fileMenusAt(context),
        }),
        canDelete: operations.has("delete"),
        onlyFollowUps: context.flags["follow-ups"],
      });
    },
    (environment, place) => ({ formats: { json: () => listJson(environment, place) } }),
  );
}

async function showRecords(context: Context): Promise<ResultIn<"json">> {
  return runOnState(
    context,
    async ({ environment, operations, store }, diagnostics) => {
      const read = await readState(store, diagnostics);
      if (read === undefined) return "failed";
      const state = await withLost(read.state, context);
      const where = { environment, report: reportAt(store, diagnostics) };
      const subjects = subjectsIn(state);
      const words = context.args.flatMap((word) => {
        const meant = new Set(meanings(word).flatMap((ref) => subjects.get(ref)?.key ?? []));
        if (meant.size > 1) reportTwoMeanings(word, where);
        return meant.size > 1 ? [] : [...meant, ...(meant.size === 0 ? [word] : [])];
      });
      const names = new Set([...subjects.values()].map(({ key }) => key));
      const page = { environment, state, canDelete: operations.has("delete") };
      return keysResult(page, selectNames(words, names, where));
    },
    (environment) => ({ formats: { json: () => keysJson(environment) } }),
  );
}

/** In a recovered state, the menus of the files that are not recorded have unknown outcomes. */
async function withLost(state: StateView, context: Context): Promise<StateView> {
  if (state.origin?.recovered === undefined) return state;
  return withUnknown(state, (await existingMenus(context)).menus);
}

async function showEvents(context: Context): Promise<ResultIn<"json">> {
  const asked = new Set(context.args);
  return runOnState(
    context,
    async ({ environment, store }, diagnostics) => {
      const all = replayHistory(await store.history());
      if (asked.size > 0) {
        const names = new Set(all.flatMap(({ keys }) => keys));
        const describe = (key: string) => `${key} is not in the history of ${environment}.`;
        const where = { environment, report: reportAt(store, diagnostics) };
        selectNames(asked, names, where, { describe });
        return historyResult(environment, entriesAbout(asked, all));
      }
      const none = `The environment ${environment} has no history yet: nothing has been applied.\n`;
      return { ...historyResult(environment, all), notes: all.length === 0 ? none : "" };
    },
    (environment) => ({ formats: { json: () => historyJson(environment) } }),
  );
}
