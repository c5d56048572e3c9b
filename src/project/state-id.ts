import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type MapNode, type Node, entriesOf, field, textField } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";

/**
 * Returns the text of ivrctl.yaml with the id of the state of an environment. Everything else stays as
 * it is written. Undefined if the place for it is not a mapping of that environment alone.
 */
export function withStateId(source: Source, environment: string, id: string): string | undefined {
  const environments = environmentsIn(source);
  const chosen = field(environments, environment);
  const state = field(chosen, "state");
  const old = field(state, "id");
  const [place, written] = state ? [state, `id: ${id}`] : [chosen, `state: { id: ${id} }`];
  if (place?.kind !== "map") return undefined;
  const text = old
    ? source.text.slice(0, old.start) + id + source.text.slice(old.end)
    : withField(source.text, place, written);
  const after = environmentsIn(new Source(source.file, text));
  const isRight = entriesOf(environments).every(({ key: { text: name }, value }) => {
    const now = stateIdIn(field(after, name));
    return now === (name === environment ? id : stateIdIn(value));
  });
  return isRight ? text : undefined;
}

function environmentsIn(source: Source): Node | undefined {
  return field(readYaml(source, new Diagnostics())[0]?.root, "environments");
}

function stateIdIn(environment: Node | undefined): string | undefined {
  return textField(field(environment, "state"), "id");
}

/** The text with a field after the last one of a mapping. */
function withField(text: string, { start, end, entries }: MapNode, written: string): string {
  const isFlow = text[start] === "{";
  const last = text.slice(0, isFlow ? end - 1 : end).trimEnd().length;
  // A comment may follow the last field.
  const at = isFlow ? last : last + text.slice(last).search(/\r?\n|$/);
  const first = entries[0]?.key.start ?? start;
  const newLine = text.includes("\r\n") ? "\r\n" : "\n";
  const indent = " ".repeat(first - (text.lastIndexOf("\n", first - 1) + 1));
  const before = isFlow ? (entries.length === 0 ? " " : ", ") : newLine + indent;
  return text.slice(0, at) + before + written + text.slice(at);
}
