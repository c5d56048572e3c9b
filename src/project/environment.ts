import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type WireField, recordingWireFields } from "../schema/config.ts";
import type { Placed, Span } from "../diagnostics/source.ts";
import { digits } from "../schema/common.ts";
import { neverDefault } from "../schema/menu.ts";
import {
  type OperationName,
  type Permission,
  operationNames,
  permissionNames,
} from "../schema/operations.ts";
import { type Config, reportMissingOperations } from "./config.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import {
  type Entry,
  type MapNode,
  type Node,
  type ScalarNode,
  entriesOf,
  entry,
  field,
  itemsOf,
  mapScalars,
} from "../yaml/node.ts";
import type { AliasEntry } from "../compile/menu.ts";
import { type VarLayer, readVars } from "../compile/vars.ts";
import { addSecrets } from "./hide-secrets.ts";
import { SettingReader, type Variables, expand, hasVariable } from "./variables.ts";

/**
 * The settings that menus are compiled with: those of the project, overridden by those of
 * one environment. Settings that only some commands use are functions: a call reads the
 * setting and reports a variable in it that is not set.
 */
export interface Environment {
  readonly name: string;
  readonly recordings: ReadonlyMap<string, RecordingAlias>;
  readonly smsTemplates: ReadonlyMap<string, ScalarNode>;
  smsTemplatesEnabled(): boolean;
  readonly wire: Wire;
  /** Undefined if it is not set. */
  onChange(): "replace" | "refuse" | undefined;
  /** What the service can do besides creating menus and listing agents. */
  operations(): ReadonlySet<OperationName>;
  /** What plans may do without `--allow`. */
  allowed(): ReadonlySet<Permission>;
  /** How many requests a plan may send; undefined for no limit. */
  maxCreates(): { readonly count: number; readonly place: Span } | undefined;
  readonly defaults: MapNode | undefined;
  /** The variables of the menus: those of the environment, and those of the project. */
  readonly environmentVars: VarLayer;
  readonly projectVars: VarLayer;
  /** Values of `defaults` whose variable is not set. */
  readonly unset: ReadonlySet<Node>;
  /** Aliases that only other environments define. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** All aliases of the project and this environment, with their places. */
  readonly aliases: readonly AliasEntry[];
  /** The alias of each recording id; the first if there are several. */
  readonly recordingAliases: ReadonlyMap<string, string>;
  readonly variables: Variables;
}

export interface RecordingAlias {
  readonly id: ScalarNode;
  readonly says?: Placed<string>;
  readonly seconds?: Placed<number>;
  readonly language?: string;
}

/** How payloads are encoded. Each function reads its setting when it is called. */
export interface Wire {
  numbers(): "string" | "number";
  plainRecordings(): ReadonlySet<WireField>;
  noSmsTemplate(): string;
  /** The names of kinds of destinations in the list of menus, by the kinds that menus write. */
  readKinds(): ReadonlyMap<string, string>;
  /** The field that the retries in the list of menus show. */
  readRetries(): "timeout_tries" | "timeout_retries";
}

/** Chooses the environment that `requested`, IVRCTL_ENV or the configuration names, in this order. */
export function chooseEnvironment(
  config: Config,
  requested: string | undefined,
  variables: Variables,
  diagnostics: Diagnostics,
): Environment | undefined {
  addSecrets(config.root, variables);
  const environments = entry(config.root, "environments");
  // The schema has reported that they are missing.
  if (environments === undefined) return undefined;
  const entries = entriesOf(environments.value);
  const names = entries.map(({ key }) => key.text);
  const available = names.length === 0 ? "The project has none" : `Available: ${names.join(", ")}`;
  const place = environments.key;
  const named = requested ?? (variables["IVRCTL_ENV"] || undefined);
  const preset = named === undefined ? field(config.root, "default_environment") : undefined;
  if (named === undefined && preset === undefined) {
    diagnostics.add(
      "IVR401",
      place,
      `No environment is selected. ${available}.`,
      "Select one with --env NAME, IVRCTL_ENV or `default_environment:`.",
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
      `There is no environment \`${name}\`. ${available}.`,
      didYouMean(nearest(name, names)) ?? "Select one that exists, or add it to `environments:`.",
    );
    return undefined;
  }
  return readEnvironment(name, [chosen.value, config.root], config, variables, diagnostics);
}

/** Reads the settings of all layers. A value in an earlier layer overrides those in later layers. */
function readEnvironment(
  name: string,
  layers: readonly Node[],
  config: Config,
  variables: Variables,
  diagnostics: Diagnostics,
): Environment {
  const reader = new SettingReader(config.invalidNodes, variables, diagnostics);
  const setting = (...path: string[]): Node | undefined =>
    layers.map((layer) => path.reduce<Node | undefined>(field, layer)).find(Boolean);
  // The aliases of the environment come after those of the project and override them.
  const named = (kind: string) =>
    layers.toReversed().flatMap((layer) => entriesOf(field(layer, kind)));
  const recordings = readRecordings(named("recordings"), reader);
  const smsTemplates = new Map(
    named("sms_templates").flatMap(({ key, value }) =>
      value.kind === "scalar" ? [[key.text, value]] : [],
    ),
  );
  return {
    name,
    variables,
    ...readDefaults(config, variables),
    environmentVars: readVars(layers[0], undefined, diagnostics),
    projectVars: readVars(config.root, config.source, diagnostics),
    recordings,
    recordingAliases: aliasesById(recordings, reader),
    smsTemplates,
    elsewhere: recordingsElsewhere(config, name),
    aliases: [
      ...named("recordings").map(({ key }) => aliasEntry("recording", key)),
      ...named("sms_templates").map(({ key }) => aliasEntry("sms_template", key)),
    ],
    smsTemplatesEnabled() {
      return reader.word(setting("sms_templates_enabled"), ["true", "false"]) === "true";
    },
    onChange() {
      return reader.word(setting("on_change"), ["replace", "refuse"]);
    },
    operations() {
      return readOperations(field(layers[0], "operations"), reader, diagnostics);
    },
    allowed() {
      const items = itemsOf(field(layers[0], "allow"));
      return new Set(items.flatMap((item) => reader.word(item, permissionNames) ?? []));
    },
    maxCreates() {
      const place = setting("max_creates");
      const text = reader.text(place);
      if (place === undefined || text === undefined) return undefined;
      if (digits.test(text)) return { count: Number(text), place };
      diagnostics.add(
        "IVR203",
        place,
        "The variable must be a whole number, 0 or more.",
        "Set the variable to a number such as 20.",
      );
      return undefined;
    },
    wire: {
      numbers() {
        return reader.word(setting("wire", "numbers"), ["string", "number"]) ?? "string";
      },
      plainRecordings() {
        const items = itemsOf(setting("wire", "plain_recordings"));
        return new Set(items.flatMap((item) => reader.word(item, recordingWireFields) ?? []));
      },
      noSmsTemplate() {
        return reader.text(setting("wire", "no_sms_template")) ?? "";
      },
      readKinds() {
        const named = entriesOf(setting("wire", "read_kinds")).flatMap(({ key, value }) => {
          const text = reader.text(value);
          return text === undefined ? [] : [[key.text, text] as const];
        });
        return new Map([["department", "ringgroup"], ...named]);
      },
      readRetries() {
        const words = ["timeout_tries", "timeout_retries"] as const;
        return reader.word(setting("wire", "read_retries"), words) ?? "timeout_tries";
      },
    },
  };
}

function readOperations(
  node: Node | undefined,
  reader: SettingReader,
  diagnostics: Diagnostics,
): ReadonlySet<OperationName> {
  const items = itemsOf(node).flatMap((item) => {
    const word = reader.word(item, operationNames);
    return word === undefined ? [] : [{ word, at: item }];
  });
  reportMissingOperations(items, diagnostics);
  return new Set(items.map(({ word }) => word));
}

function aliasEntry(kind: AliasEntry["kind"], key: ScalarNode): AliasEntry {
  return { kind, name: key.text, at: key };
}

/** Replaces the variables in the defaults. Menus themselves cannot use variables. */
function readDefaults(
  config: Config,
  variables: Variables,
): Pick<Environment, "defaults" | "unset"> {
  const unset = new Set<Node>();
  const written = field(config.root, "defaults");
  if (written?.kind !== "map") return { defaults: undefined, unset };
  const entries = written.entries.filter(({ key }) => !neverDefault.has(key.text));
  const defaults = mapScalars({ ...written, entries }, (scalar) => {
    if (!hasVariable(scalar.text)) return scalar;
    const text = expand(scalar, variables, new Diagnostics());
    if (text !== undefined) return { ...scalar, text };
    unset.add(scalar);
    return scalar;
  });
  return { defaults: defaults.kind === "map" ? defaults : undefined, unset };
}

function readRecordings(
  entries: readonly Entry[],
  reader: SettingReader,
): Map<string, RecordingAlias> {
  const aliases = new Map<string, RecordingAlias>();
  for (const { key, value } of entries) {
    if (value.kind === "scalar") {
      aliases.set(key.text, { ...aliases.get(key.text), id: value });
      continue;
    }
    const [id, saysAt, secondsAt, languageAt] = ["id", "says", "seconds", "language"].map((name) =>
      field(value, name),
    );
    if (id?.kind !== "scalar") continue;
    const says = reader.optionalText(saysAt);
    const seconds = reader.optionalText(secondsAt);
    const language = reader.optionalText(languageAt);
    aliases.set(key.text, {
      id,
      ...(saysAt && says !== undefined && { says: { value: says, at: saysAt } }),
      ...(secondsAt &&
        seconds !== undefined && { seconds: { value: Number(seconds), at: secondsAt } }),
      ...(language !== undefined && { language }),
    });
  }
  return aliases;
}

function aliasesById(
  recordings: ReadonlyMap<string, RecordingAlias>,
  reader: SettingReader,
): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const [alias, recording] of recordings) {
    const id = reader.optionalText(recording.id);
    if (id !== undefined && !aliases.has(id)) aliases.set(id, alias);
  }
  return aliases;
}

/** The recordings of other environments, each with the last environment that has it. */
function recordingsElsewhere(config: Config, name: string): Map<string, string> {
  const others = entriesOf(field(config.root, "environments")).filter(
    ({ key }) => key.text !== name,
  );
  return new Map(
    others.flatMap(({ key: environment, value }) =>
      entriesOf(field(value, "recordings")).map(({ key }) => [key.text, environment.text]),
    ),
  );
}
