import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Placed, Span } from "../diagnostics/source.ts";
import type { ConfigDraft, EnvironmentSettings } from "../schema/config.ts";
import { neverDefault } from "../schema/menu.ts";
import type { OperationName, Permission } from "../schema/operations.ts";
import { type VendorName, isVendor, vendorNamed } from "../schema/vendors.ts";
import type { Config } from "./config-file.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import { type MapNode, type Node, at, entriesOf, entry, field, nodeAt } from "../yaml/node.ts";
import { type VarLayer, readVars } from "./vars.ts";
import { addSecrets } from "./hide-secrets.ts";
import type { Variables } from "./environment-variables.ts";

/**
 * The settings that menus are compiled with: those of the project, overridden by those of
 * one environment.
 */
export interface Environment {
  readonly name: string;
  /** The names of all environments of the project. */
  readonly names: readonly string[];
  readonly recordings: ReadonlyMap<string, Alias>;
  readonly smsTemplates: ReadonlyMap<string, Alias>;
  /** Destinations that are not people or menus. */
  readonly destinations: ReadonlyMap<string, Alias>;
  readonly smsTemplatesEnabled: boolean;
  readonly wire: Wire;
  /** How texts become recordings. */
  readonly speech: Speech | undefined;
  /** How many seconds apply waits for the recordings that it makes. */
  readonly recordingTimeout: number;
  /** The vendor whose profile it uses. */
  readonly vendor: VendorName | undefined;
  /** Undefined if it is not set. */
  readonly onChange: "replace" | "refuse" | undefined;
  /** What the service can do besides creating menus and listing agents. */
  readonly operations: ReadonlySet<OperationName>;
  /** What plans may do without `--allow`. */
  readonly allowed: ReadonlySet<Permission>;
  /** How many requests a plan may send; undefined for no limit. */
  readonly maxCreates: { readonly count: number; readonly place: Span } | undefined;
  readonly defaults: MapNode | undefined;
  /** The variables of the menus: those of the environment, and those of the project. */
  readonly environmentVars: VarLayer;
  readonly projectVars: VarLayer;
  /** Aliases that only other environments define, each with one of these environments. */
  readonly elsewhere: Readonly<Record<"recordings" | "destinations", ReadonlyMap<string, string>>>;
  /** The alias of each recording id; the first if there are several. */
  readonly recordingAliases: ReadonlyMap<string, string>;
  /** The alias of each `KIND||ID`; the first if there are several. */
  readonly destinationAliases: ReadonlyMap<string, string>;
  /** The ids of what the service lists, by name. Undefined before the agent list was read. */
  readonly listed?: Readonly<Record<"recordings" | "departments", ListedNames>>;
}

export type ListedNames = ReadonlyMap<string, readonly string[]>;

/**
 * A name for an id: an alias in the files, or what the service calls it. A menu that uses an invalid alias is
 * not wrong.
 */
export interface Alias {
  /** Where it is defined: in the environment or, if it is not there, in the project. Undefined for a name of the service. */
  readonly at?: Span;
  /** Undefined if it is invalid, which has been reported, or if `named` does not have an id. */
  readonly id?: string | undefined;
  /** The kind of a destination. */
  readonly kind?: string;
  /** What the service calls it, if the alias has no id of its own. */
  readonly named?: string;
  readonly says?: Placed<string>;
  readonly seconds?: Placed<number>;
  /** Where the audio file is that the recording is made from. */
  readonly audioUrl?: string | undefined;
  readonly language?: string | undefined;
}

/** How payloads are encoded and lists are read: `wire:` with its defaults. */
export type Wire = { readonly [K in keyof WireSettings]-?: NonNullable<WireSettings[K]> };
export type Speech = NonNullable<EnvironmentSettings["speech"]>;
export const standardRecordingTimeout = 600;
type WireSettings = NonNullable<EnvironmentSettings["wire"]>;

export const standardWire: Wire = {
  numbers: "string",
  plain_recordings: [],
  no_sms_template: "",
  final_recording: "optional",
  read_kinds: {},
  read_retries: "timeout_tries",
};

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
  const names = entriesOf(environments.value).map(({ key }) => key.text);
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
  const name = named ?? config.value.default_environment;
  if (name === undefined) return undefined;
  if (!names.includes(name)) {
    const meant = didYouMean(nearest(name, names));
    diagnostics.add(
      "IVR402",
      preset ?? place,
      `There is no environment \`${name}\`. ${available}.`,
      (preset ? meant : meant?.words) ?? "Select one that exists, or add it to `environments:`.",
    );
    return undefined;
  }
  return environmentOf(name, config);
}

function environmentOf(name: string, config: Config): Environment {
  const { root, tree, value: project } = config;
  const path = ["environments", name];
  const settings: EnvironmentSettings = project.environments?.[name] ?? {};
  const setting = <K extends keyof EnvironmentSettings & keyof ConfigDraft>(key: K) =>
    settings[key] ?? project[key];
  const vendor = vendorIn(nodeAt(root, path));
  const profile = vendor && vendorNamed(vendor);
  const standard: Wire = { ...standardWire, ...profile?.wire };
  const wire = <K extends keyof Wire>(key: K) =>
    settings.wire?.[key] ?? project.wire?.[key] ?? standard[key];
  const recordings = aliasesIn("recordings", name, config);
  const destinations = aliasesIn("destinations", name, config);
  const maxCreates = setting("max_creates");
  const limitAt = nodeAt(tree, [...path, "max_creates"]) ?? at(tree, ["max_creates"]);
  return {
    name,
    vendor,
    names: entriesOf(field(root, "environments")).map(({ key }) => key.text),
    recordings,
    smsTemplates: aliasesIn("sms_templates", name, config),
    destinations,
    smsTemplatesEnabled: setting("sms_templates_enabled") === true,
    wire: {
      numbers: wire("numbers"),
      plain_recordings: wire("plain_recordings"),
      no_sms_template: wire("no_sms_template"),
      final_recording: wire("final_recording"),
      read_kinds: { department: "ringgroup", ...wire("read_kinds") },
      read_retries: wire("read_retries"),
    },
    speech: setting("speech"),
    recordingTimeout: Number(setting("recording_timeout") ?? standardRecordingTimeout),
    onChange: setting("on_change"),
    operations: new Set(settings.operations ?? profile?.operations),
    allowed: new Set(settings.allow),
    maxCreates:
      maxCreates === undefined ? undefined : { count: Number(maxCreates), place: limitAt },
    defaults: defaultsIn(root),
    environmentVars: readVars(nodeAt(root, path), undefined),
    projectVars: readVars(root, config.source),
    elsewhere: {
      recordings: aliasesElsewhere("recordings", config, name),
      destinations: aliasesElsewhere("destinations", config, name),
    },
    recordingAliases: aliasById(recordings),
    destinationAliases: aliasById(destinations),
  };
}

/** The profile of an environment's service. It is read from the tree, because the address can be a variable. */
function vendorIn(environment: Node | undefined): VendorName | undefined {
  const name = field(field(environment, "service"), "vendor");
  return name?.kind === "scalar" && isVendor(name.text) ? name.text : undefined;
}

/** The first alias of each id, or of each `KIND||ID`. */
export function aliasById(aliases: ReadonlyMap<string, Alias>): Map<string, string> {
  const entries = [...aliases].flatMap(([name, { kind, id }]) =>
    id === undefined ? [] : [[kind === undefined ? id : `${kind}||${id}`, name]],
  );
  return new Map(entries.toReversed().map(([id = "", name = ""]) => [id, name]));
}

function defaultsIn(root: MapNode): MapNode | undefined {
  const written = field(root, "defaults");
  if (written?.kind !== "map") return undefined;
  return {
    ...written,
    entries: written.entries.filter(({ key }) => !neverDefault.includes(key.text)),
  };
}

/** The aliases of the project, overridden by those of the environment. */
function aliasesIn(
  kind: "recordings" | "sms_templates" | "destinations",
  environment: string,
  { root, tree, value }: Config,
): Map<string, Alias> {
  const aliases = new Map<string, Alias>();
  const layers = [
    { written: value[kind], place: [kind] },
    {
      written: value.environments?.[environment]?.[kind],
      place: ["environments", environment, kind],
    },
  ];
  for (const { written = {}, place } of layers) {
    for (const { key } of entriesOf(nodeAt(root, place))) {
      const alias = written[key.text];
      if (typeof alias !== "object") {
        const before: Alias = aliases.get(key.text) ?? {};
        const { named: _, ...unnamed } = before;
        // An id of the environment counts, also if the alias of the project has only a name.
        const own = alias === undefined ? before : { ...unnamed, id: alias };
        aliases.set(key.text, { ...own, at: key });
        continue;
      }
      if ("kind" in alias) {
        aliases.set(key.text, { at: key, ...alias });
        continue;
      }
      const { id, name = key.text, says, seconds, language, audio_url: audioUrl } = alias;
      const placed = (name: string) => at(tree, [...place, key.text, name]);
      aliases.set(key.text, {
        at: key,
        ...(id === undefined ? { named: name } : { id }),
        ...(says !== undefined && { says: { value: says, at: placed("says") } }),
        ...(seconds !== undefined && {
          seconds: { value: Number(seconds), at: placed("seconds") },
        }),
        language,
        audioUrl,
      });
    }
  }
  return aliases;
}

/** The aliases of other environments, each with the last environment that has it. */
function aliasesElsewhere(
  kind: "recordings" | "destinations",
  { root }: Config,
  name: string,
): Map<string, string> {
  const others = entriesOf(field(root, "environments")).filter(({ key }) => key.text !== name);
  return new Map(
    others.flatMap(({ key: environment, value }) =>
      entriesOf(field(value, kind)).map(({ key }) => [key.text, environment.text]),
    ),
  );
}
