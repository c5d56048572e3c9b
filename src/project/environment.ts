import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Placed, Span } from "../diagnostics/source.ts";
import type { ConfigDraft, EnvironmentSettings } from "../schema/config.ts";
import { neverDefault } from "../schema/menu.ts";
import type { OperationName, Permission } from "../schema/operations.ts";
import type { Config } from "./config.ts";
import { didYouMean, nearest } from "../util/nearest.ts";
import {
  type MapNode,
  type Node,
  type Path,
  at,
  entriesOf,
  entry,
  field,
  nodeAt,
} from "../yaml/node.ts";
import type { AliasEntry } from "../compile/menu.ts";
import { type VarLayer, readVars } from "../compile/vars.ts";
import { addSecrets } from "./hide-secrets.ts";
import type { Variables } from "./variables.ts";

/**
 * The settings that menus are compiled with: those of the project, overridden by those of
 * one environment.
 */
export interface Environment {
  readonly name: string;
  /** The names of all environments of the project. */
  readonly names: readonly string[];
  readonly recordings: ReadonlyMap<string, RecordingAlias>;
  /** The id of each alias; undefined if it is invalid. */
  readonly smsTemplates: ReadonlyMap<string, string | undefined>;
  readonly smsTemplatesEnabled: boolean;
  readonly wire: Wire;
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
  /** Recordings that only other environments define, each with one of these environments. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** All aliases of the project and this environment, with their places. */
  readonly aliases: readonly AliasEntry[];
  /** The alias of each recording id; the first if there are several. */
  readonly recordingAliases: ReadonlyMap<string, string>;
}

export interface RecordingAlias {
  /** Undefined if it is invalid. That has been reported. */
  readonly id?: string;
  readonly says?: Placed<string>;
  readonly seconds?: Placed<number>;
  readonly language?: string | undefined;
}

/** How payloads are encoded. */
export interface Wire {
  readonly numbers: "string" | "number";
  /** The fields of a payload. */
  readonly plainRecordings: ReadonlySet<string>;
  readonly noSmsTemplate: string;
  /** The names of kinds of destinations in the list of menus, by the kinds that menus write. */
  readonly readKinds: ReadonlyMap<string, string>;
  /** The field that the retries in the list of menus show. */
  readonly readRetries: "timeout_tries" | "timeout_retries";
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
    diagnostics.add(
      "IVR402",
      preset ?? place,
      `There is no environment \`${name}\`. ${available}.`,
      didYouMean(nearest(name, names)) ?? "Select one that exists, or add it to `environments:`.",
    );
    return undefined;
  }
  return environmentOf(name, config);
}

type WireSettings = NonNullable<EnvironmentSettings["wire"]>;

function environmentOf(name: string, config: Config): Environment {
  const { root, tree, value: project } = config;
  const path = ["environments", name];
  const own: EnvironmentSettings = project.environments?.[name] ?? {};
  const setting = <K extends keyof EnvironmentSettings & keyof ConfigDraft>(key: K) =>
    own[key] ?? project[key];
  const wire = <K extends keyof WireSettings>(key: K) => own.wire?.[key] ?? project.wire?.[key];
  // The aliases of the environment come after those of the project and override them.
  const aliases = [root, nodeAt(root, path)].flatMap((layer) =>
    aliasesIn(layer, "recording").concat(aliasesIn(layer, "sms_template")),
  );
  const recordings = recordingsIn(config, own, path, aliases);
  const maxCreates = setting("max_creates");
  const limitAt = nodeAt(tree, [...path, "max_creates"]) ?? at(tree, ["max_creates"]);
  const templates = { ...project.sms_templates, ...own.sms_templates };
  return {
    name,
    names: entriesOf(field(root, "environments")).map(({ key }) => key.text),
    recordings,
    smsTemplates: new Map(
      aliases.flatMap((alias) =>
        alias.kind === "sms_template" ? [[alias.name, templates[alias.name]]] : [],
      ),
    ),
    smsTemplatesEnabled: setting("sms_templates_enabled") === true,
    wire: {
      numbers: wire("numbers") ?? "string",
      plainRecordings: new Set(wire("plain_recordings")),
      noSmsTemplate: wire("no_sms_template") ?? "",
      readKinds: new Map([
        ["department", "ringgroup"],
        ...Object.entries(wire("read_kinds") ?? {}),
      ]),
      readRetries: wire("read_retries") ?? "timeout_tries",
    },
    onChange: setting("on_change"),
    operations: new Set(own.operations),
    allowed: new Set(own.allow),
    maxCreates:
      maxCreates === undefined ? undefined : { count: Number(maxCreates), place: limitAt },
    defaults: defaultsIn(root),
    environmentVars: readVars(nodeAt(root, path), undefined),
    projectVars: readVars(root, config.source),
    elsewhere: recordingsElsewhere(config, name),
    aliases,
    recordingAliases: new Map(
      [...recordings]
        .toReversed()
        .flatMap(([alias, { id }]) => (id === undefined ? [] : [[id, alias]])),
    ),
  };
}

function defaultsIn(root: MapNode): MapNode | undefined {
  const written = field(root, "defaults");
  if (written?.kind !== "map") return undefined;
  return { ...written, entries: written.entries.filter(({ key }) => !neverDefault.has(key.text)) };
}

/** The aliases as written, invalid ones included. A menu that uses one of these is not wrong. */
function aliasesIn(layer: Node | undefined, kind: AliasEntry["kind"]): AliasEntry[] {
  const entries = entriesOf(field(layer, `${kind}s`));
  return entries.map(({ key }) => ({ kind, name: key.text, at: key }));
}

function recordingsIn(
  { value, tree }: Config,
  own: EnvironmentSettings,
  path: Path,
  aliases: readonly AliasEntry[],
): Map<string, RecordingAlias> {
  const recordings = new Map<string, RecordingAlias>();
  for (const { kind, name } of aliases) if (kind === "recording") recordings.set(name, {});
  const layers = [
    { written: value.recordings, at: ["recordings"] },
    { written: own.recordings, at: [...path, "recordings"] },
  ];
  for (const { written = {}, at: place } of layers) {
    for (const [name, recording] of Object.entries(written)) {
      if (typeof recording === "string") {
        recordings.set(name, { ...recordings.get(name), id: recording });
        continue;
      }
      const { id, says, seconds, language } = recording;
      const placed = (key: string) => at(tree, [...place, name, key]);
      recordings.set(name, {
        id,
        ...(says !== undefined && { says: { value: says, at: placed("says") } }),
        ...(seconds !== undefined && {
          seconds: { value: Number(seconds), at: placed("seconds") },
        }),
        language,
      });
    }
  }
  return recordings;
}

/** The recordings of other environments, each with the last environment that has it. */
function recordingsElsewhere({ root }: Config, name: string): Map<string, string> {
  const others = entriesOf(field(root, "environments")).filter(({ key }) => key.text !== name);
  return new Map(
    others.flatMap(({ key: environment, value }) =>
      entriesOf(field(value, "recordings")).map(({ key }) => [key.text, environment.text]),
    ),
  );
}
