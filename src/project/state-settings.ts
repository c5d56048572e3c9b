import type * as z from "zod/mini";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { StateSettingsSchema as Schema, type StoreName } from "../schema/store-settings.ts";
import type { Config } from "./config-file.ts";
import { type Node, entry, field, isNull } from "../yaml/node.ts";
import { isSandbox } from "./service-settings.ts";
import { type Variables, readSection } from "./environment-variables.ts";

interface StorePlace {
  readonly kind: StoreName;
  /** May contain secrets, so they must never be shown. */
  readonly settings: StoreValue;
  /** Where problems with a setting are reported. */
  readonly placeOf: (field: string) => Span;
}

type StoreValue = Omit<z.infer<typeof Schema>, "id" | "from" | "backend">;

/** The state of an environment, and where it is stored. */
export interface StateSettings {
  /** Undefined if the file names none. */
  readonly id: string | undefined;
  /** Whether a state without an id begins on its own: that of the embedded sandbox. */
  readonly beginsAlone: boolean;
  readonly store: StorePlace;
  /** Where the state was stored before. */
  readonly from: StorePlace | undefined;
  /** Where a missing id is reported. */
  readonly place: Span;
}

/** Reads where the state is stored. Call it only if the state is needed, because its variables may be unset. */
export function readStateSettings(
  config: Config,
  environment: string,
  variables: Variables,
  diagnostics: Diagnostics,
): StateSettings | undefined {
  const chosen = entry(field(config.root, "environments"), environment);
  const state = entry(chosen?.value, "state");
  const beginsAlone = isSandbox(chosen?.value, variables);
  if (state === undefined || isNull(state.value)) {
    const place = state?.key ?? chosen?.key ?? config.source.top();
    const store = storeOf({}, undefined, place);
    return { id: undefined, beginsAlone, store, from: undefined, place };
  }
  const settings = readSection(Schema, state, environment, variables, diagnostics);
  if (settings === undefined) return undefined;
  const { id, from, ...store } = settings;
  return {
    id,
    beginsAlone,
    store: storeOf(store, state.value, state.key),
    from: from && storeOf(from, field(state.value, "from"), state.key),
    place: state.key,
  };
}

function storeOf(
  {
    backend: kind = "file",
    ...settings
  }: StoreValue & { readonly backend?: StorePlace["kind"] | undefined },
  node: Node | undefined,
  top: Span,
): StorePlace {
  return { kind, settings, placeOf: (name) => field(node, name) ?? top };
}
