import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type WireField, recordingWireFields } from "../schema/config.ts";
import type { Span } from "../diagnostics/source.ts";
import { digits } from "../schema/common.ts";
import { neverDefault } from "../schema/menu.ts";
import type { Config } from "./config.ts";
import { NameIndex, didYouMean, nearest } from "../util/nearest.ts";
import { type MapNode, type Node, type ScalarNode, entry, field } from "../yaml/node.ts";
import type { AliasEntry, Placed } from "../compile/menu.ts";
import { addSecrets } from "./hide-secrets.ts";
import { type Variables, expand, hasVariable } from "./variables.ts";

/** What menus are compiled for: one environment, laid over the project's settings. */
export interface Environment {
  readonly name: string;
  readonly recordings: ReadonlyMap<string, RecordingAlias>;
  readonly smsTemplates: ReadonlyMap<string, ScalarNode>;
  readonly smsTemplatesEnabled: boolean;
  readonly wire: Wire;
  readonly onChange: "replace" | "refuse";
  /** How many requests a plan may send; undefined where there is no limit. */
  readonly maxCreates: { readonly count: number; readonly place: Span } | undefined;
  readonly defaults: MapNode | undefined;
  /** Values of `defaults` whose variable is not set. */
  readonly unset: ReadonlySet<Node>;
  /** Aliases that only other environments define. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** Every alias at the place where the project or this environment names it. */
  readonly aliases: readonly AliasEntry[];
  /** The alias of a recording's id, the first where it has several. */
  recordingAlias(id: string): string | undefined;
  /** The nearest aliases to a word that is none. */
  nearestRecordings(word: string): string[];
  nearestSmsTemplates(word: string): string[];
  readonly variables: Variables;
}

export interface RecordingAlias {
  readonly id: ScalarNode;
  readonly says?: Placed<string>;
  readonly seconds?: Placed<number>;
}

export interface Wire {
  readonly numbers: "string" | "number";
  readonly plainRecordings: ReadonlySet<WireField>;
  readonly noSmsTemplate: string;
  readonly destinationKinds: ReadonlySet<string>;
}

/** The environment asked for, by `--env`, IVRCTL_ENV or the configuration, in this order. */
export function chooseEnvironment(
  config: Config,
  asked: string | undefined,
  variables: Variables,
  diagnostics: Diagnostics,
): Environment | undefined {
  addSecrets(config.root, variables);
  const environments = entry(config.root, "environments");
  // Told by the schema already.
  if (environments === undefined) return undefined;
  const entries = environments.value.kind === "map" ? environments.value.entries : [];
  const names = entries.map(({ key }) => key.text);
  const there = names.length === 0 ? "there are none" : `there are: ${names.join(", ")}`;
  const place = environments.key;
  const named = asked ?? (variables["IVRCTL_ENV"] || undefined);
  const preset = named === undefined ? field(config.root, "default_environment") : undefined;
  if (named === undefined && preset === undefined) {
    diagnostics.add(
      "IVR401",
      place,
      `No environment is chosen; ${there}.`,
      "Name one with --env, in IVRCTL_ENV, or as `default_environment:`.",
    );
    return undefined;
  }
  const name =
    named ?? (preset?.kind === "scalar" ? expand(preset, variables, diagnostics) : undefined);
  if (name === undefined) return undefined;
  const chosen = entries.find(({ key }) => key.text === name);
  if (chosen === undefined) {
    diagnostics.add(
      "IVR402",
      preset ?? place,
      `There is no environment \`${name}\`; ${there}.`,
      didYouMean(nearest(name, names)),
    );
    return undefined;
  }
  return new Settings(config, name, chosen.value, variables, diagnostics);
}

/**
 * The top level and one environment, read as one. A setting is read when it is
 * asked for, so that a variable nobody needs can be left unset.
 */
class Settings implements Environment {
  readonly name: string;
  readonly variables: Variables;
  readonly unset: ReadonlySet<Node>;
  readonly defaults: MapNode | undefined;
  readonly recordings: ReadonlyMap<string, RecordingAlias>;
  readonly smsTemplates: ReadonlyMap<string, ScalarNode>;
  readonly elsewhere: ReadonlyMap<string, string>;
  readonly wire: Wire;
  readonly #config: Config;
  readonly #layers: readonly Node[];
  readonly #diagnostics: Diagnostics;
  readonly #unset = new Set<Node>();
  #recordingNames: NameIndex | undefined;
  #recordingsById: ReadonlyMap<string, string> | undefined;
  #smsTemplateNames: NameIndex | undefined;

  constructor(
    config: Config,
    name: string,
    chosen: Node,
    variables: Variables,
    diagnostics: Diagnostics,
  ) {
    this.#config = config;
    this.#layers = [chosen, config.root];
    this.#diagnostics = diagnostics;
    this.name = name;
    this.variables = variables;
    this.unset = this.#unset;
    this.defaults = this.#defaults();
    this.recordings = this.#recordings();
    this.smsTemplates = this.#smsTemplates();
    this.elsewhere = this.#elsewhere();
    this.wire = this.#wire();
  }

  get smsTemplatesEnabled(): boolean {
    return this.#word(this.#setting("sms_templates_enabled"), ["true", "false"]) === "true";
  }

  get onChange(): "replace" | "refuse" {
    return this.#word(this.#setting("on_change"), ["replace", "refuse"]) ?? "replace";
  }

  get maxCreates(): Environment["maxCreates"] {
    const place = this.#setting("max_creates");
    const text = this.#text(place);
    if (place === undefined || text === undefined) return undefined;
    if (digits.test(text)) return { count: Number(text), place };
    this.#diagnostics.add("IVR205", place, "The variable must hold a whole number from 0.");
    return undefined;
  }

  get aliases(): readonly AliasEntry[] {
    const named = (kind: AliasEntry["kind"], field: string) =>
      this.#entries(field).map(({ key }) => ({ kind, name: key.text, at: key }));
    return [...named("recording", "recordings"), ...named("sms_template", "sms_templates")];
  }

  recordingAlias(id: string): string | undefined {
    return (this.#recordingsById ??= this.#byId()).get(id);
  }

  nearestRecordings(word: string): string[] {
    return (this.#recordingNames ??= new NameIndex(this.recordings.keys())).nearest(word);
  }

  nearestSmsTemplates(word: string): string[] {
    return (this.#smsTemplateNames ??= new NameIndex(this.smsTemplates.keys())).nearest(word);
  }

  #wire(): Wire {
    const setting = (name: string) => this.#setting("wire", name);
    const numbers = () => this.#word(setting("numbers"), ["string", "number"]) ?? "string";
    const plain = () =>
      new Set(
        items(setting("plain_recordings")).flatMap(
          (item) => this.#word(item, recordingWireFields) ?? [],
        ),
      );
    const filler = () => this.#text(setting("no_sms_template")) ?? "";
    const kinds = () =>
      new Set(items(setting("destination_kinds")).flatMap((item) => this.#text(item) ?? []));
    return {
      get numbers() {
        return numbers();
      },
      get plainRecordings() {
        return plain();
      },
      get noSmsTemplate() {
        return filler();
      },
      get destinationKinds() {
        return kinds();
      },
    };
  }

  #defaults(): MapNode | undefined {
    const defaults = field(this.#config.root, "defaults");
    if (defaults?.kind !== "map") return undefined;
    const entries = defaults.entries.filter(({ key }) => !neverDefault.has(key.text));
    const filled = this.#filledIn({ ...defaults, entries });
    return filled.kind === "map" ? filled : undefined;
  }

  /** A value of the configuration that becomes part of menus, which know no variables. */
  #filledIn(node: Node): Node {
    switch (node.kind) {
      case "scalar": {
        if (!hasVariable(node.text)) return node;
        const text = expand(node, this.variables, new Diagnostics());
        if (text !== undefined) return { ...node, text };
        this.#unset.add(node);
        return node;
      }
      case "list":
        return { ...node, items: node.items.map((item) => this.#filledIn(item)) };
      case "map":
        return {
          ...node,
          entries: node.entries.map(({ key, value, merged }) => ({
            key,
            value: this.#filledIn(value),
            merged,
          })),
        };
    }
  }

  /** The environment's value where it has one, else the project's. */
  #setting(...path: string[]): Node | undefined {
    for (const layer of this.#layers) {
      const node = path.reduce<Node | undefined>(field, layer);
      if (node !== undefined) return node;
    }
    return undefined;
  }

  #text(node: Node | undefined): string | undefined {
    if (node?.kind !== "scalar" || this.#config.faulty.has(node)) return undefined;
    return expand(node, this.variables, this.#diagnostics);
  }

  /** One of a few words; the schema could not judge one that a variable holds. */
  #word<W extends string>(node: Node | undefined, words: readonly W[]): W | undefined {
    const text = this.#text(node);
    if (node === undefined || text === undefined) return undefined;
    const word = words.find((candidate) => candidate === text.toLowerCase());
    if (word === undefined) {
      this.#diagnostics.add("IVR207", node, `The variable must hold one of ${words.join(", ")}.`);
    }
    return word;
  }

  #recordings(): Map<string, RecordingAlias> {
    const aliases = new Map<string, RecordingAlias>();
    for (const { key, value } of this.#entries("recordings")) {
      if (value.kind === "scalar") {
        aliases.set(key.text, { ...aliases.get(key.text), id: value });
        continue;
      }
      const id = field(value, "id");
      if (id?.kind !== "scalar") continue;
      const says = this.#aside(field(value, "says"));
      const seconds = this.#aside(field(value, "seconds"));
      aliases.set(key.text, {
        id,
        ...(says && { says }),
        ...(seconds && { seconds: { ...seconds, value: Number(seconds.value) } }),
      });
    }
    return aliases;
  }

  #byId(): Map<string, string> {
    const names = new Map<string, string>();
    for (const [name, { id }] of this.recordings) {
      const text = this.#aside(id)?.value;
      if (text !== undefined && !names.has(text)) names.set(text, name);
    }
    return names;
  }

  /** The text of what no payload needs: an unset variable there is no fault. */
  #aside(node: Node | undefined): Placed<string> | undefined {
    if (node?.kind !== "scalar" || this.#config.faulty.has(node)) return undefined;
    const value = expand(node, this.variables, new Diagnostics());
    return value === undefined ? undefined : { value, at: node };
  }

  #smsTemplates(): Map<string, ScalarNode> {
    const aliases = new Map<string, ScalarNode>();
    for (const { key, value } of this.#entries("sms_templates")) {
      if (value.kind === "scalar") aliases.set(key.text, value);
    }
    return aliases;
  }

  /** The project's aliases, then the environment's over them. */
  #entries(name: string) {
    return this.#layers.toReversed().flatMap((layer) => {
      const aliases = field(layer, name);
      return aliases?.kind === "map" ? aliases.entries : [];
    });
  }

  #elsewhere(): Map<string, string> {
    const environments = field(this.#config.root, "environments");
    const found = new Map<string, string>();
    if (environments?.kind !== "map") return found;
    for (const { key, value } of environments.entries) {
      if (key.text === this.name) continue;
      const aliases = field(value, "recordings");
      if (aliases?.kind !== "map") continue;
      for (const alias of aliases.entries) found.set(alias.key.text, key.text);
    }
    return found;
  }
}

function items(node: Node | undefined): readonly Node[] {
  return node?.kind === "list" ? node.items : [];
}
