import { readState } from "../deploy/state/access.ts";
import { selectNames } from "../deploy/state/change.ts";
import { entriesAbout, replayHistory } from "../deploy/state/history.ts";
import { subjectsIn } from "../deploy/state/resolve.ts";
import { State, type StateView } from "../deploy/state/state.ts";
import { followUpRecord, menuRecord } from "../deploy/state/view.ts";
import { openConfiguration } from "../project/open-project.ts";
import { historyResult } from "../views/state-history.ts";
import { keysResult, listResult } from "../views/state.ts";
import { type Context, command } from "../cli/command.ts";
import { runOnState } from "../cli/state-command.ts";
import type { Result } from "../cli/result.ts";

const listFlags = {
  "follow-ups": { type: "boolean", about: "Show only the open follow-ups" },
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
  takes: "<KEY..>",
  arguments: { KEY: "Menu keys, or follow-ups such as F1" },
  about:
    "Show everything on record about menu keys: what was sent, its outcome, and what to do next",
  flags: {},
  formats: ["text", "json"],
  examples: [["ivrctl state show front-desk", "one menu"]],
  run: showRecords,
});

export const history = command({
  takes: "[KEY..]",
  arguments: { KEY: "Menu keys (default: all)" },
  about: "Show the history: who did what, and when",
  flags: {},
  formats: ["text", "json"],
  examples: [
    ["ivrctl state history", "everything"],
    ["ivrctl state history front-desk --format json", "one menu, for a script"],
  ],
  run: showEvents,
});

async function showState(context: Context<typeof listFlags>): Promise<Result> {
  return runOnState(context, {
    async act({ store }, diagnostics) {
      return (await readState(store, diagnostics)) ?? "failed";
    },
    show: (where, read) =>
      listResult({
        ...where,
        isRead: read !== undefined,
        state: read?.state ?? new State(),
        canDelete: canDelete(context),
        lock: read?.holder ?? null,
        onlyFollowUps: context.flags["follow-ups"],
      }),
  });
}

async function showRecords(context: Context): Promise<Result> {
  return runOnState(context, {
    async act({ environment, store }, diagnostics) {
      const { state } = (await readState(store, diagnostics)) ?? {};
      if (state === undefined) return "failed";
      const keys = context.args.map((word) => keyOf(word, state));
      const describe = (key: string) => `${key} has no record in the state of ${environment}.`;
      const names = new Set([...subjectsIn(state).values()].map(({ key }) => key));
      const where = { place: store.place, environment };
      return { state, keys: selectNames(keys, { names, describe, ...where }, diagnostics) };
    },
    show: ({ environment }, read) => {
      const { state, keys } = read ?? { state: new State(), keys: [] };
      return keysResult({ environment, state, canDelete: canDelete(context), keys });
    },
  });
}

/** Whether the service of the environment can delete menus. */
function canDelete(context: Context): boolean {
  return openConfiguration(context).environment?.operations.has("delete") ?? false;
}

/** The menu key that a word means: itself, or the one of a follow-up. */
function keyOf(word: string, state: StateView): string {
  return menuRecord(state, word) ? word : (followUpRecord(state, word.toUpperCase())?.key ?? word);
}

async function showEvents(context: Context): Promise<Result> {
  const asked = new Set(context.args);
  return runOnState(context, {
    async act({ environment, store }, diagnostics) {
      const replayed = replayHistory((await store.history()).map(({ entry }) => entry));
      if (asked.size === 0) return replayed;
      const names = new Set(replayed.flatMap(({ keys }) => keys));
      const describe = (key: string) => `${key} is not in the history of ${environment}.`;
      const where = { place: store.place, environment };
      selectNames(asked, { names, describe, ...where }, diagnostics);
      return entriesAbout(asked, replayed);
    },
    show: ({ environment }, entries, hasErrors) =>
      historyResult({ environment, entries: entries ?? [] }, hasErrors),
  });
}
