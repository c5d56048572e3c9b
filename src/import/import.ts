import { isDeepStrictEqual } from "node:util";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type Payload, referencedMenu } from "../schema/wire.ts";
import { type Agent, Agents } from "../compile/agents.ts";
import { compileMenus } from "../compile/compile-project.ts";
import { FolderDefaults, type Inherited } from "../compile/folder-defaults.ts";
import type { Environment } from "../project/environment.ts";
import { format } from "../yaml/format/format.ts";
import { without } from "../yaml/node.ts";
import { type MenuText, type ProjectNames, writeMenu } from "./menu-text.ts";
import { type ReadFile, readPasted } from "./pasted.ts";
import { type ImportedPayload, type PlacedText, readPayload } from "./payload.ts";
import { Presets } from "./presets.ts";
import { References } from "./references.ts";
import { namesTemplates } from "./wire-values.ts";

/** The project that menus are written for. */
export interface Project {
  readonly environment: Environment;
  /** Without a list, menus refer to agents by extension id. */
  readonly agents: Agents | undefined;
  /** The keys of menus that others may lead to, by their ids on the service. */
  readonly menus?: ReadonlyMap<string, string> | undefined;
}

/** Returns the writer for a file. The defaults of its folder decide what a menu leaves out. */
export function writersFor(
  { environment, ...project }: Project,
  folders: readonly Source[],
): (file: string) => MenuWriter {
  const inherited = new FolderDefaults(folders, environment);
  const writers = new Map<Inherited, MenuWriter>();
  return (file) => {
    const own = inherited.of(file);
    // Tests of the folder may use variables that the new menu does not have yet.
    const defaults = own.defaults && without(own.defaults, "tests");
    const writer =
      writers.get(own) ?? new MenuWriter({ ...project, environment: { ...environment, defaults } });
    writers.set(own, writer);
    return writer;
  };
}

/** Reads all payloads in a text. Do not use them if the diagnostics have an error. */
export function readPayloads(
  source: Source,
  readFile: ReadFile,
  diagnostics: Diagnostics,
): ImportedPayload[] {
  return readPasted(source, readFile, diagnostics).flatMap(
    (candidate) => readPayload(candidate, diagnostics) ?? [],
  );
}

/** Writes payloads as menus of one project. */
export class MenuWriter {
  readonly #names: ProjectNames;
  readonly #head: readonly string[];
  readonly #reachable: ReachableAgents;

  constructor({ environment, agents, menus }: Project) {
    this.#reachable = new ReachableAgents(agents?.list ?? []);
    this.#head =
      agents === undefined
        ? ["# Imported without an agent list, so agents are named by their extension ids."]
        : [];
    this.#names = {
      environment,
      references: new References(agents, environment),
      presets: new Presets(environment, agents),
      menus,
    };
  }

  /** The text of a menu that compiles to exactly this payload; undefined if that is not possible. */
  write(
    payload: ImportedPayload,
    head: readonly string[],
    diagnostics: Diagnostics,
  ): MenuText | undefined {
    const found = new Diagnostics();
    const menu = writeMenu(payload, this.#names, [...head, ...this.#head], found);
    diagnostics.addAll(found);
    if (found.hasErrors) return undefined;
    if (this.#compilesTo(payload, menu.text)) return menu;
    diagnostics.add(
      "IVR655",
      payload.at,
      "ivrctl could not write a menu that compiles to exactly this payload.",
      "Report this as a bug in ivrctl. Remove confidential names and numbers first.",
    );
    return undefined;
  }

  /**
   * The text of a menu for a payload whose options are in no particular order. The caller checks
   * what it compiles to, because that depends on the menus that it leads to.
   */
  draft(
    payload: ImportedPayload,
    head: readonly string[],
    diagnostics: Diagnostics,
  ): MenuText | undefined {
    const found = new Diagnostics();
    const options = this.#names.presets.inOrder(payload.options);
    const menu = writeMenu({ ...payload, options }, this.#names, head, found);
    diagnostics.addAll(found);
    return found.hasErrors ? undefined : menu;
  }

  #compilesTo(payload: ImportedPayload, text: string): boolean {
    const source = new Source("ivrs/imported.yaml", text);
    if (format(source, new Diagnostics()) !== text) return false;
    const { environment } = this.#names;
    const agents = this.#reachable.from(payload);
    const inherited = new FolderDefaults([], environment);
    // The menus that it leads to need not exist yet.
    const keyAt = source.span(0, 0);
    const known = destinationsOf(payload)
      .flatMap(({ text: to }) => referencedMenu(to) ?? [])
      .map((key) => ({ key, keyAt, name: undefined, movedFrom: undefined }));
    const input = { sources: [source], inherited, environment, agents, known };
    const { compiled } = compileMenus(input);
    const [menu] = compiled.values();
    return menu !== undefined && isSamePayload(menu.payload, payload, environment);
  }
}

/**
 * The agent list with every agent of a payload reachable. An imported menu keeps its agents even if
 * one is gone, blocked or shares an extension.
 */
class ReachableAgents {
  readonly #list: Agent[] = [];
  readonly #eids = new Set<string>();
  #agents: Agents;

  constructor(list: readonly Agent[]) {
    for (const agent of list) this.#add({ ...agent, blocked: false });
    this.#agents = new Agents(this.#list);
  }

  from(payload: ImportedPayload): Agents {
    const before = this.#list.length;
    for (const { text } of destinationsOf(payload)) {
      const eid = /^extension\|\|([^]*)$/.exec(text)?.[1];
      if (eid !== undefined) this.#add({ ...unknownAgent, eid });
    }
    if (this.#list.length > before) this.#agents = new Agents(this.#list);
    return this.#agents;
  }

  #add(agent: Agent): void {
    if (agent.eid !== null) {
      if (this.#eids.has(agent.eid)) return;
      this.#eids.add(agent.eid);
    }
    this.#list.push(agent);
  }
}

/** All destinations of a payload. */
function destinationsOf({ fields, options }: ImportedPayload): PlacedText[] {
  const own = options.map(({ destination }) => destination);
  return [...own, fields.invalid_destination, fields.timeout_destination];
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

/** Whether a payload is the same as the imported one. Numbers may be text. */
function isSamePayload(
  { option, destination, sms_template, ...compiled }: Payload,
  imported: ImportedPayload,
  { wire }: Environment,
): boolean {
  const { fields, options } = imported;
  const values: Readonly<Record<string, unknown>> = compiled;
  const templates = namesTemplates(imported, wire)
    ? options.map(({ sms }) => sms?.text)
    : undefined;
  return (
    Object.entries(fields).every(([name, own]) =>
      own === undefined ? values[name] === undefined : String(values[name]) === own.text,
    ) &&
    isDeepStrictEqual(
      option.map(String),
      options.map(({ key }) => key.text),
    ) &&
    isDeepStrictEqual(
      destination,
      options.map((own) => own.destination.text),
    ) &&
    isDeepStrictEqual(sms_template, templates)
  );
}
