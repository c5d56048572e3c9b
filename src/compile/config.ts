import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { Config as ConfigSchema, type WireField, recordingWireFields } from "../schema/config.ts";
import { neverDefault } from "../schema/menu.ts";
import { check } from "./check.ts";
import { didYouMean, nearest } from "./nearest.ts";
import { type MapNode, type Node, type ScalarNode, entry, field } from "./read/node.ts";
import { readYaml } from "./read/yaml.ts";

/** ivrctl.yaml as read: its shape judged, its variables not yet looked up. */
export interface Config {
  readonly source: Source;
  readonly root: MapNode;
  readonly faulty: ReadonlySet<Node>;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** What menus are compiled for: one environment, laid over the project's settings. */
export interface Environment {
  readonly name: string;
  readonly recordings: ReadonlyMap<string, RecordingAlias>;
  readonly smsTemplates: ReadonlyMap<string, ScalarNode>;
  readonly smsTemplatesEnabled: boolean;
  readonly wire: Wire;
  readonly onChange: "replace" | "refuse";
  readonly defaults: MapNode | undefined;
  /** Aliases that only other environments define. */
  readonly elsewhere: ReadonlyMap<string, string>;
  readonly variables: Variables;
}

export interface RecordingAlias {
  readonly id: ScalarNode;
  readonly says?: string;
  readonly seconds?: number;
}

export interface Wire {
  readonly numbers: "string" | "number";
  readonly plainRecordings: ReadonlySet<WireField>;
  readonly noSmsTemplate: string;
  readonly destinationKinds: ReadonlySet<string>;
}

export function readConfig(source: Source, diagnostics: Diagnostics): Config | undefined {
  hideWhatLooksSecret(source);
  const documents = readYaml(source, diagnostics);
  const [root, second] = documents.flatMap((document) => document.root ?? []);
  if (root === undefined) {
    if (!documents.some(({ broken }) => broken)) {
      diagnostics.add(
        "IVR105",
        source.top(),
        `${source.file} is empty.`,
        "It starts with `version: 1`.",
      );
    }
    return undefined;
  }
  if (root.kind !== "map") {
    diagnostics.add("IVR106", root, `A ${root.kind} stands where the configuration should be.`);
    return undefined;
  }
  if (second !== undefined) {
    diagnostics.add(
      "IVR119",
      second.kind === "map" ? (second.entries[0]?.key ?? second) : second,
      `${source.file} holds one document, and this is a second one.`,
      "Remove the `---` above it, or what follows.",
    );
  }
  hideTokens(root);
  const { faulty } = check(ConfigSchema, root, {
    diagnostics,
    top: root.entries[0]?.key ?? source.top(),
    spare: (node, code) => code !== "IVR404" && node.kind === "scalar" && hasVariable(node.text),
    unknownField: (key, path) =>
      path[0] === "defaults" && path.length === 1 && neverDefault.has(key)
        ? { code: "IVR211", message: `\`${key}\` cannot be a default: it belongs to one menu.` }
        : undefined,
  });
  checkAddresses(root, diagnostics);
  return { source, root, faulty };
}

/** The environment asked for, by `--env`, IVRCTL_ENV or the configuration, in this order. */
export function chooseEnvironment(
  config: Config,
  asked: string | undefined,
  variables: Variables,
  diagnostics: Diagnostics,
): Environment | undefined {
  const environments = entry(config.root, "environments");
  const entries = environments?.value.kind === "map" ? environments.value.entries : [];
  const names = entries.map(({ key }) => key.text);
  const there = names.length === 0 ? "there are none" : `there are: ${names.join(", ")}`;
  const place = environments?.key ?? config.root.entries[0]?.key ?? config.source.top();
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
  return new Settings(config, name, chosen.value, variables, diagnostics).environment();
}

/** The text of a setting with its `${NAME}`s filled in; an unset one is told where it stands. */
export function expand(
  node: ScalarNode,
  variables: Variables,
  diagnostics: Diagnostics,
): string | undefined {
  if (!hasVariable(node.text)) return node.text;
  let unset = false;
  const text = node.text.replace(variable, (written, name: string) => {
    const value = variables[name];
    if (value !== undefined) return value;
    unset = true;
    const within = node.source.text.slice(node.start, node.end).indexOf(written);
    const start = node.start + Math.max(within, 0);
    const end = within < 0 ? node.end : start + written.length;
    diagnostics.add(
      "IVR403",
      node.source.span(start, end),
      `The environment variable ${name} is not set.`,
      `Set it before running ivrctl, for example: export ${name}=…`,
    );
    return "";
  });
  return unset ? undefined : text;
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function hasVariable(text: string): boolean {
  return text.search(variable) !== -1;
}

/** The top level and one environment, read as one. */
class Settings {
  readonly #config: Config;
  readonly #name: string;
  readonly #layers: readonly Node[];
  readonly #variables: Variables;
  readonly #diagnostics: Diagnostics;

  constructor(
    config: Config,
    name: string,
    chosen: Node,
    variables: Variables,
    diagnostics: Diagnostics,
  ) {
    this.#config = config;
    this.#name = name;
    this.#layers = [chosen, config.root];
    this.#variables = variables;
    this.#diagnostics = diagnostics;
  }

  environment(): Environment {
    const wire = (name: string) => this.#setting("wire", name);
    const numbers = this.#text(wire("numbers"));
    const plain = this.#texts(wire("plain_recordings"));
    return {
      name: this.#name,
      recordings: this.#recordings(),
      smsTemplates: this.#smsTemplates(),
      smsTemplatesEnabled:
        this.#text(this.#setting("sms_templates_enabled"))?.toLowerCase() === "true",
      wire: {
        numbers: numbers === "number" ? "number" : "string",
        plainRecordings: new Set(recordingWireFields.filter((name) => plain.includes(name))),
        noSmsTemplate: this.#text(wire("no_sms_template")) ?? "",
        destinationKinds: new Set(this.#texts(wire("destination_kinds"))),
      },
      onChange: this.#text(this.#setting("on_change")) === "refuse" ? "refuse" : "replace",
      defaults: this.#defaults(),
      elsewhere: this.#elsewhere(),
      variables: this.#variables,
    };
  }

  #defaults(): MapNode | undefined {
    const defaults = field(this.#config.root, "defaults");
    if (defaults?.kind !== "map") return undefined;
    const entries = defaults.entries.filter(({ key }) => !neverDefault.has(key.text));
    return { ...defaults, entries };
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
    return expand(node, this.#variables, this.#diagnostics);
  }

  #texts(node: Node | undefined): string[] {
    return node?.kind === "list" ? node.items.flatMap((item) => this.#text(item) ?? []) : [];
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
      const says = this.#text(field(value, "says"));
      const seconds = this.#text(field(value, "seconds"));
      aliases.set(key.text, {
        id,
        ...(says === undefined ? {} : { says }),
        ...(seconds === undefined ? {} : { seconds: Number(seconds) }),
      });
    }
    return aliases;
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
      if (key.text === this.#name) continue;
      const aliases = field(value, "recordings");
      if (aliases?.kind !== "map") continue;
      for (const alias of aliases.entries) found.set(alias.key.text, key.text);
    }
    return found;
  }
}

function services(root: MapNode): MapNode[] {
  const environments = field(root, "environments");
  if (environments?.kind !== "map") return [];
  return environments.entries.flatMap(({ value }) => {
    const service = field(value, "service");
    return service?.kind === "map" ? [service] : [];
  });
}

function checkAddresses(root: MapNode, diagnostics: Diagnostics): void {
  for (const service of services(root)) {
    const address = field(service, "base_url");
    if (address?.kind !== "scalar" || hasVariable(address.text)) continue;
    const problem = addressProblem(address.text);
    if (problem === undefined) continue;
    if (address.text.includes("@")) address.source.hide(address.start, address.end);
    diagnostics.add("IVR407", address, problem);
  }
}

/** Why an address cannot be used, if it cannot. */
export function addressProblem(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return "`base_url` is not an address: it looks like https://telephony.example/api.";
  }
  if (url.username !== "" || url.password !== "") {
    return "`base_url` holds a user name or password; the token alone identifies the caller.";
  }
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return "`base_url` must start with https://.";
  return isLoopback(url.hostname)
    ? undefined
    : "`base_url` is plain http, which would send the token in the clear; only loopback may.";
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}

const looksSecret =
  /^[^#\n]*?(?:token|secret|passw|bearer|authori|api[_-]?key)\w*["']?[ \t]*:[ \t]*(?!["']?\$\{|\{|#|$)(?<value>\S.*)$/gim;

/** For a file too broken to tell its tokens from the rest. */
function hideWhatLooksSecret(source: Source): void {
  for (const match of source.text.matchAll(looksSecret)) {
    const end = match.index + match[0].length;
    source.hide(end - (match.groups?.["value"]?.length ?? 0), end);
  }
}

const serviceFields = ["base_url", "token", "timeout", "concurrency", "requests_per_second"];

/** Whatever stands under `token`, or under what may be a misspelt one. */
function hideTokens(root: MapNode): void {
  for (const service of services(root)) {
    for (const { key, value } of service.entries) {
      const [meant] = serviceFields.includes(key.text)
        ? [key.text]
        : nearest(key.text, serviceFields);
      if (meant === undefined || meant === "token") hideToken(value);
    }
  }
}

function hideToken(value: Node): void {
  if (value.kind === "map") {
    for (const { key, value: inner } of value.entries) if (key.text !== "command") hideToken(inner);
  } else if (value.kind === "list" || !/^\$\{\w+\}$/.test(value.text)) {
    value.source.hide(value.start, value.end);
  }
}
