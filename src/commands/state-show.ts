import { type Remembered, remember } from "../deploy/state/history.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { showHistory } from "../views/state-history.ts";
import { showKeys, showList } from "../views/state.ts";
import { type Context, type ExitCode, command } from "../cli/command.ts";
import { readState, whereSound } from "../deploy/state/access.ts";
import { keptState } from "../deploy/state/open-store.ts";
import { suggestions } from "../deploy/state/keys.ts";

export const list = command({
  maxArguments: 0,
  about: "Lists every key in the state, the follow-ups that are open, and who holds the lock.",
  flags: {},
  formats: ["text", "json"],
  examples: [["ivrctl state list --env production", "the state of another environment"]],
  run: showState,
});

export const show = command({
  takes: "KEY…",
  arguments: { "KEY…": "The keys of the menus to show" },
  minArguments: 1,
  completes: "recorded key",
  about:
    "Shows everything on record about keys: what was sent, its outcome, and how to resolve it.",
  flags: {},
  formats: ["text", "json"],
  examples: [["ivrctl state show front-desk", "one key"]],
  run: showRecords,
});

export const history = command({
  takes: "[KEY…]",
  arguments: { "KEY…": "Show only what happened to these keys" },
  completes: "recorded key",
  about: "Shows who did what, and when.",
  flags: {},
  formats: ["text", "json"],
  examples: [
    ["ivrctl state history", "everything"],
    ["ivrctl state history front-desk --format json", "one key, for a script"],
  ],
  run: showEvents,
});

async function showState(context: Context): Promise<ExitCode> {
  const diagnostics = new Diagnostics();
  const { environment, store } = await keptState(context, diagnostics);
  const state = store && (await readState(store, diagnostics));
  const lock = state && (await whereSound(store, diagnostics, () => store.holder()));
  const shown = { environment, place: store?.place ?? null, state, lock: lock ?? null };
  await showList(shown, diagnostics.sorted(), context);
  return diagnostics.hasErrors ? 1 : 0;
}

async function showRecords(context: Context): Promise<ExitCode> {
  const diagnostics = new Diagnostics();
  const { environment, store } = await keptState(context, diagnostics);
  const state = store && (await readState(store, diagnostics));
  const keys = [...new Set(context.args)];
  if (store && state) {
    const known = knownKeys(state);
    const suggest = suggestions(known);
    for (const key of keys) {
      if (known.has(key)) continue;
      diagnostics.addFile(
        "IVR631",
        store.place,
        `The state of ${environment} knows no key ${key}.`,
        suggest(key),
      );
    }
  }
  const shown = { environment, state, keys };
  await showKeys(shown, diagnostics.sorted(), context);
  return diagnostics.hasErrors ? 1 : 0;
}

async function showEvents(context: Context): Promise<ExitCode> {
  const diagnostics = new Diagnostics();
  const { environment, store } = await keptState(context, diagnostics);
  const entries = store && (await whereSound(store, diagnostics, () => store.history()));
  let remembered: readonly Remembered[] = remember((entries ?? []).map(({ entry }) => entry));
  if (store !== undefined && entries !== undefined && context.args.length > 0) {
    const known = new Set(remembered.flatMap(({ keys }) => keys));
    const suggest = suggestions(known);
    const asked = new Set(context.args);
    for (const key of asked) {
      if (known.has(key)) continue;
      diagnostics.addFile(
        "IVR631",
        store.place,
        `The history of ${environment} knows no key ${key}.`,
        suggest(key),
      );
    }
    remembered = remembered.filter(({ keys }) => keys.some((key) => asked.has(key)));
  }
  await showHistory({ environment, remembered }, diagnostics.sorted(), context);
  return diagnostics.hasErrors ? 1 : 0;
}

/** Those with a record, and those of which a follow-up is left. */
function knownKeys({ keys, followUps }: StateView): ReadonlySet<string> {
  return new Set([...keys.keys(), ...[...followUps.values()].map(({ key }) => key)]);
}
