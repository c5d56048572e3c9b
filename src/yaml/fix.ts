import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source, type Span } from "../diagnostics/source.ts";
import { canonicalKey } from "../compile/options.ts";
import { type Entry, type MapNode, type Node, field } from "./node.ts";
import { readYaml } from "./read-yaml.ts";

/** One place where a file can be written in one right way only. */
export interface Fix {
  readonly at: Span;
  readonly before: string;
  readonly after: string;
}

export interface Fixed {
  readonly text: string;
  /** In the order of the file. */
  readonly fixes: readonly Fix[];
}

/**
 * A file with what has one right answer put right, and every other character as
 * it was; undefined where there is nothing, or where it would not certainly say
 * the same afterwards.
 */
export function fixed(source: Source, kind: "menu" | "config"): Fixed | undefined {
  const documents = readYaml(source, new Diagnostics());
  const collector = new Collector(source);
  for (const { root } of documents) {
    if (root?.kind !== "map") continue;
    if (kind === "menu") collector.menu(root);
    else collector.config(root);
  }
  const fixes = collector.sorted();
  if (fixes.length === 0) return undefined;
  const text = edited(source.text, fixes);
  const again = readYaml(new Source(source.file, text), new Diagnostics());
  const same =
    documents.length === again.length &&
    documents.every(({ root, broken }, index) => {
      const other = again[index];
      return broken === other?.broken && saysTheSame(root, other.root);
    });
  return same ? { text, fixes } : undefined;
}

function edited(text: string, fixes: readonly Fix[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, after } of fixes) {
    parts.push(text.slice(from, at.start), after);
    from = at.end;
  }
  return parts.join("") + text.slice(from);
}

/** Ids that other readers of YAML would take for numbers or dates. */
const numberLike = /^[-+.]?[0-9][0-9A-Fa-fxob_+.:-]*$/;

class Collector {
  readonly #source: Source;
  /** By where they start: what is repeated through an anchor is written once. */
  readonly #fixes = new Map<number, Fix>();

  constructor(source: Source) {
    this.#source = source;
  }

  sorted(): Fix[] {
    return [...this.#fixes.values()].sort((a, b) => a.at.start - b.at.start);
  }

  menu(root: Node): void {
    const [invalid, timeout] = [field(root, "invalid"), field(root, "timeout")];
    this.#options(field(root, "options"));
    for (const section of [invalid, timeout]) this.#reference(field(section, "destination"));
    this.#idOrMapping(field(root, "recording"));
    this.#idOrMapping(field(invalid, "recording"));
    this.#idOrMapping(field(timeout, "retry_recording"));
    this.#idOrMapping(field(timeout, "recording"));
    this.#idOrMapping(field(field(root, "extra"), "recording_invalid"));
    this.#id(field(root, "id"));
    for (const test of itemsOf(field(root, "tests"))) {
      this.#reference(field(test, "reaches"));
      for (const heard of itemsOf(field(test, "hears"))) this.#idOrMapping(heard);
    }
  }

  config(root: MapNode): void {
    const defaults = field(root, "defaults");
    if (defaults !== undefined) this.menu(defaults);
    const environments = entriesOf(field(root, "environments")).map(({ value }) => value);
    for (const layer of [root, ...environments]) {
      for (const name of ["recordings", "sms_templates"]) {
        for (const { value } of entriesOf(field(layer, name))) this.#idOrMapping(value);
      }
    }
  }

  #options(options: Node | undefined): void {
    const entries = entriesOf(options);
    const spellings = new Map<string, number>();
    for (const { key } of entries) {
      const name = canonicalKey(key.text);
      spellings.set(name, (spellings.get(name) ?? 0) + 1);
    }
    for (const { key, value } of entries) {
      const name = canonicalKey(key.text);
      const other = name !== key.text || (key.plain && name === "*");
      // Of two that are one key a person chooses.
      if (other && spellings.get(name) === 1) this.#replace(key, `"${name}"`);
      this.#reference(value);
      this.#idOrMapping(field(value, "sms"));
    }
  }

  #reference(node: Node | undefined): void {
    for (const mark of ["intercom", "eid", "id"]) this.#id(field(node, mark));
  }

  #idOrMapping(node: Node | undefined): void {
    this.#id(node?.kind === "map" ? field(node, "id") : node);
  }

  #id(node: Node | undefined): void {
    if (node?.kind !== "scalar" || !node.plain || !numberLike.test(node.text)) return;
    this.#replace(node, `"${node.text}"`);
  }

  #replace(node: Node, after: string): void {
    const { start, end } = node;
    const before = this.#source.text.slice(start, end);
    const at = this.#source.span(start, end);
    if (before !== after) this.#fixes.set(start, { at, before, after });
  }
}

function entriesOf(node: Node | undefined): readonly Entry[] {
  return node?.kind === "map" ? node.entries : [];
}

function itemsOf(node: Node | undefined): readonly Node[] {
  return node?.kind === "list" ? node.items : [];
}

/** The same values under the same keys in the same order, whatever is in quotes. */
function saysTheSame(before: Node | undefined, after: Node | undefined): boolean {
  switch (before?.kind) {
    case undefined:
      return after === undefined;
    case "scalar":
      return after?.kind === "scalar" && before.text === after.text;
    case "list":
      return (
        after?.kind === "list" &&
        before.items.length === after.items.length &&
        before.items.every((item, index) => saysTheSame(item, after.items[index]))
      );
    case "map":
      return (
        after?.kind === "map" &&
        before.entries.length === after.entries.length &&
        before.entries.every(({ key, value }, index) => {
          const other = after.entries[index];
          return (
            other !== undefined &&
            canonicalKey(key.text) === canonicalKey(other.key.text) &&
            saysTheSame(value, other.value)
          );
        })
      );
  }
}
