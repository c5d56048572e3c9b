import type { Source } from "../diagnostics/source.ts";
import { ConfigSchema, environment } from "../schema/config.ts";
import { secretSettings } from "../schema/store-settings.ts";
import { secrets } from "../util/secrets.ts";
import {
  type MapEntry,
  type MapNode,
  type Node,
  entriesOf,
  field,
  textField,
} from "../yaml/node.ts";
import type { Variables } from "./environment-variables.ts";

/**
 * Shows the lines of a configuration, except those under `service:` and `state:`, and under unknown
 * fields, which may be a misspelled one of these.
 */
export function showHarmless(source: Source, root: MapNode): void {
  const environments = entriesOf(field(root, "environments"));
  const hidden = [
    ...entriesOf(root).filter(({ key }) => !Object.hasOwn(ConfigSchema.shape, key.text)),
    ...environments.filter(({ value }) => value.kind !== "map"),
    ...environments.flatMap(({ value }) => entriesOf(value)).filter(isHidden),
  ];
  source.showExcept(hidden.map((entry) => ({ start: entry.key.start, end: endOf(entry, source) })));
}

function isHidden({ key: { text }, value }: MapEntry): boolean {
  if (text === "service") return value.kind !== "scalar" || value.text !== "sandbox";
  return text === "state" || !Object.hasOwn(environment.shape, text);
}

/** The end of a field, with the comments below it. */
function endOf({ value }: MapEntry, { text }: Source): number {
  const next = text.slice(value.end).search(/\n[ \t]*[^\s#]/);
  return next === -1 ? text.length : value.end + next;
}

/** Adds the tokens and passwords of all environments to the secrets of this run, as far as they are set. */
export function addSecrets(root: MapNode, variables: Variables): void {
  const filled = (node: Node | undefined, name: string) =>
    textField(node, name)?.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => variables[name] ?? "");
  for (const { value } of entriesOf(field(root, "environments"))) {
    const [service, state] = [field(value, "service"), field(value, "state")];
    for (const name of ["token", "read_token"]) secrets.add(filled(service, name));
    for (const [name, secretsIn] of Object.entries(secretSettings)) {
      for (const store of [state, field(state, "from")]) {
        for (const secret of secretsIn(filled(store, name) ?? "")) secrets.add(secret);
      }
    }
  }
}
