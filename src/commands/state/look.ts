import { type Remembered, remember } from "../../deploy/history.ts";
import type { StateView } from "../../deploy/state/state.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { showHistory } from "../../views/state-history.ts";
import { showKeys, showList } from "../../views/state.ts";
import type { ExitCode } from "../command.ts";
import { environmentName, readState, storeOf, whereSound } from "../state-access.ts";
import type { StateContext } from "../state.ts";
import { suggestions } from "./keys.ts";

export async function list(context: StateContext): Promise<ExitCode> {
  const diagnostics = new Diagnostics();
  const environment = environmentName(context, diagnostics);
  const store = environment === undefined ? undefined : storeOf(context.root, environment);
  const state = environment && (await readState(context.root, environment, diagnostics));
  const lock = store && (await whereSound(store, diagnostics, () => store.holder()));
  const shown = {
    environment: environment ?? null,
    place: store?.place ?? null,
    state: state || undefined,
    lock: lock ?? null,
  };
  await showList(shown, diagnostics.sorted(), context);
  return diagnostics.hasErrors ? 1 : 0;
}

export async function show(context: StateContext): Promise<ExitCode> {
  const diagnostics = new Diagnostics();
  const environment = environmentName(context, diagnostics);
  const state = environment && (await readState(context.root, environment, diagnostics));
  const keys = [...new Set(context.args)];
  if (environment && state) {
    const known = knownKeys(state);
    const suggest = suggestions(known);
    for (const key of keys) {
      if (known.has(key)) continue;
      diagnostics.addFile(
        "IVR631",
        storeOf(context.root, environment).place,
        `The state of ${environment} knows no key ${key}.`,
        suggest(key),
      );
    }
  }
  const shown = { environment: environment ?? null, state: state || undefined, keys };
  await showKeys(shown, diagnostics.sorted(), context);
  return diagnostics.hasErrors ? 1 : 0;
}

export async function history(context: StateContext): Promise<ExitCode> {
  const diagnostics = new Diagnostics();
  const environment = environmentName(context, diagnostics);
  const store = environment === undefined ? undefined : storeOf(context.root, environment);
  const entries = store && (await whereSound(store, diagnostics, () => store.history()));
  let remembered: readonly Remembered[] = remember(entries ?? []);
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
  await showHistory(
    { environment: environment ?? null, remembered },
    diagnostics.sorted(),
    context,
  );
  return diagnostics.hasErrors ? 1 : 0;
}

/** Those with a record, and those of which a follow-up is left. */
function knownKeys({ keys, followUps }: StateView): ReadonlySet<string> {
  return new Set([...keys.keys(), ...[...followUps.values()].map(({ key }) => key)]);
}
