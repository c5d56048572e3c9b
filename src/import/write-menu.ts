import { isDeepStrictEqual } from "node:util";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type Agent, Agents } from "../compile/agents.ts";
import { compileMenus } from "../compile/compile-project.ts";
import { canonicalKey } from "../compile/options.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import type { Environment } from "../project/environment.ts";
import { wireOf } from "../schema/fields.ts";
import { type Payload, destinationsIn, referencedMenu } from "../schema/wire.ts";
import { shorten } from "../util/nearest.ts";
import { format } from "../yaml/format.ts";
import { entriesOf, entry, without } from "../yaml/node.ts";
import {
  type Field,
  type Unnamed,
  fieldsOf,
  layOut,
  removedOption,
  templatesIn,
  warnOfInvalid,
} from "./menu-text.ts";
import type { ImportedPayload } from "./payloads.ts";
import { References } from "./references.ts";

export interface MenuText {
  readonly text: string;
  readonly unnamed: readonly Unnamed[];
}

/** The project that menus are written for. */
export interface Target {
  readonly environment: Environment;
  /** Without a list, menus refer to agents by extension id. */
  readonly agents: Agents | undefined;
  /** The files _defaults.yaml. */
  readonly folders: readonly Source[];
}

/** Where a menu is written, and what its payload must keep. */
interface Place {
  readonly file: string;
  /** The lines before the menu. */
  readonly head: readonly string[];
  /** Whether the order of the options is part of the payload. */
  readonly isOrdered: boolean;
}

/** Writes payloads as menus of one project. */
export class MenuWriter {
  readonly #environment: Environment;
  readonly #inherited: FolderDefaults;
  readonly #references: References;
  readonly #hasAgents: boolean;
  readonly #reachable: ReachableAgents;

  constructor({ environment, agents, folders }: Target) {
    this.#environment = environment;
    this.#inherited = new FolderDefaults(folders, environment);
    this.#references = new References(agents, environment);
    this.#hasAgents = agents !== undefined;
    this.#reachable = new ReachableAgents(agents?.list ?? []);
  }

  /**
   * The shortest text that compiles to this payload. Undefined, with diagnostics, if there is none:
   * the menu with all fields does not compile to it.
   */
  write(
    imported: ImportedPayload,
    { file, head, isOrdered }: Place,
    diagnostics: Diagnostics,
  ): MenuText | undefined {
    const found = new Diagnostics();
    const { defaults: inherited } = this.#inherited.of(file);
    // Tests of the folder may use variables that the new menu does not have.
    const defaults = inherited && without(inherited, "tests");
    const environment = { ...this.#environment, defaults };
    const intro = [...head, ...(this.#hasAgents ? [] : [noAgents])];
    const agents = this.#reachable.from(imported.payload);
    const wanted = normal(imported.payload, environment, isOrdered);
    const compile = (fields: readonly Field[]) => {
      const { text, fieldAt } = layOut(fields, intro);
      const result = compileAlone(
        new Source("ivrs/imported.yaml", text),
        imported,
        environment,
        agents,
      );
      const sent = result.payload && normal(result.payload, environment, isOrdered);
      return { ...result, text, fieldAt, sent, isSame: isDeepStrictEqual(sent, wanted) };
    };
    const isDefault = ({ section, name }: Field) => {
      const around = section === "" ? defaults : entry(defaults, section)?.value;
      return entriesOf(around).some(({ key }) => canonicalKey(key.text) === unquoted(name));
    };
    const given = new Set(imported.payload.option.map(String));
    const removed = entriesOf(entry(defaults, "options")?.value)
      .map(({ key }) => canonicalKey(key.text))
      .filter((key) => !given.has(key))
      .map((key) => removedOption(key, imported.at()));
    const all = fieldsOf(imported, environment, this.#references, found);
    const lastOption = all.findLastIndex(({ section }) => section === "options");
    all.splice(lastOption + 1, 0, ...removed);
    let fields = all.filter((field) => field.value !== "null" || isDefault(field));
    let compiled = compile(fields);
    if (!found.hasErrors && compiled.isSame) {
      // From the end, because the options of the defaults come after those of the menu.
      for (const field of fields.filter(isDefault).toReversed()) {
        const fewer = fields.filter((own) => own !== field);
        const shorter = compile(fewer);
        if (shorter.isSame) [fields, compiled] = [fewer, shorter];
      }
      warnOfInvalid(fields, environment, found);
    } else if (!found.hasErrors) explain(imported, compiled, wanted, environment, found);
    diagnostics.addAll(found);
    if (found.hasErrors) return undefined;
    return { text: compiled.text, unnamed: fields.flatMap((field) => field.unnamed) };
  }
}

function unquoted(name: string): string {
  return name.replace(/^"(.*)"$/, "$1");
}

const noAgents = "# Imported without an agent list, so agents are named by their extension ids.";

/** Compiles one menu. The menus that it leads to need not exist. */
function compileAlone(
  source: Source,
  { payload }: ImportedPayload,
  environment: Environment,
  agents: Agents,
) {
  const keyAt = source.span(0, 0);
  const known = destinationsIn(payload)
    .flatMap((to) => referencedMenu(to) ?? [])
    .map((key) => ({ key, keyAt, name: undefined, movedFrom: undefined }));
  const inherited = new FolderDefaults([], environment);
  const compilation = compileMenus({ sources: [source], inherited, environment, agents, known });
  const [menu] = compilation.compiled.values();
  return { payload: menu?.payload, diagnostics: compilation.diagnostics };
}

const compareWire =
  "Correct the option, or compare `wire:` in ivrctl.yaml with what the service accepts.";

interface NormalPayload {
  readonly fields: Readonly<Record<string, string | undefined>>;
  /** The key, the destination and the SMS template of each option. */
  readonly options: readonly (readonly string[])[];
}

/** A payload to compare: numbers as text, no `sms_template` without a template. */
function normal(payload: Payload, environment: Environment, isOrdered: boolean): NormalPayload {
  const { option, destination, sms_template: _, ...fields } = payload;
  const templates = templatesIn(payload, environment);
  const options = option.map((key, index) => {
    const own = [String(key), destination[index] ?? ""];
    if (templates !== undefined) own.push(payload.sms_template?.[index] ?? "");
    return own;
  });
  return {
    fields: Object.fromEntries(Object.entries(fields).map(([name, own]) => [name, String(own)])),
    options: isOrdered ? options : options.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  };
}

/** Reports why the menu with all fields does not compile to a payload. */
function explain(
  { payload, at }: ImportedPayload,
  compiled: {
    readonly sent: NormalPayload | undefined;
    readonly diagnostics: Diagnostics;
    readonly fieldAt: (line: number) => Field | undefined;
  },
  wanted: NormalPayload,
  { name: environment }: Environment,
  diagnostics: Diagnostics,
): void {
  const { sent } = compiled;
  if (sent === undefined) {
    for (const { severity, line, message, hint } of compiled.diagnostics.sorted()) {
      if (severity !== "error") continue;
      const place = compiled.fieldAt(line ?? 0)?.at;
      diagnostics.add("IVR655", place ?? at(), message, hint);
    }
    return;
  }
  for (const [field, value] of Object.entries({ ...sent.fields, ...wanted.fields })) {
    if (sent.fields[field] === value) continue;
    const recordings = wireOf("recording");
    const isRecording = recordings.some((name) => name === field);
    const bare = recordings.filter((name) => payload[name]?.includes("||") === false);
    diagnostics.add(
      "IVR655",
      at(field),
      `The environment \`${environment}\` sends \`${shorten(sent.fields[field] ?? "nothing")}\` instead of this value.`,
      isRecording
        ? `Write \`wire: { plain_recordings: [${bare.join(", ")}] }\` in ivrctl.yaml.`
        : compareWire,
    );
  }
  const index = wanted.options.findIndex((own, at) => !isDeepStrictEqual(own, sent.options[at]));
  if (index === -1) return;
  const shown = sent.options[index]?.map((part) => `\`${shorten(part)}\``).join(", ");
  diagnostics.add(
    "IVR655",
    at("option", index),
    `The environment \`${environment}\` sends ${shown ?? "nothing"} instead of this option.`,
    compareWire,
  );
}

/**
 * The agent list with every agent of a payload reachable. An imported menu keeps its agents even if
 * one is gone, blocked or shares an extension.
 */
class ReachableAgents {
  readonly #list = new Map<string | Agent, Agent>();
  #agents: Agents;

  constructor(list: readonly Agent[]) {
    for (const agent of list) {
      const id = agent.eid ?? agent;
      if (!this.#list.has(id)) this.#list.set(id, { ...agent, blocked: false });
    }
    this.#agents = new Agents([...this.#list.values()]);
  }

  from(payload: Payload): Agents {
    const { size } = this.#list;
    for (const to of destinationsIn(payload)) {
      const eid = /^extension\|\|(\S+)$/.exec(to)?.[1];
      if (eid !== undefined && !this.#list.has(eid)) this.#list.set(eid, { ...unknownAgent, eid });
    }
    if (this.#list.size > size) this.#agents = new Agents([...this.#list.values()]);
    return this.#agents;
  }
}

const unknownAgent: Agent = {
  id: null,
  name: "",
  eid: null,
  intercom: null,
  team: null,
  departments: [],
  blocked: false,
};

/** The text of a menu as `fmt` writes it. */
export async function formattedMenu(text: string): Promise<string> {
  return (await format(new Source("menu.yaml", text), new Diagnostics())) ?? text;
}
