import { type Facts, changedFacts, isSame, payloadFacts } from "../deploy/plan/digest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { type Agent, Agents, fromListed } from "../compile/agents.ts";
import { compileMenus } from "../compile/compile-project.ts";
import { canonicalKey } from "../compile/options.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import type { Environment } from "../project/environment.ts";
import { wireOf } from "../schema/fields.ts";
import { type Payload, destinationsIn, referencedMenu } from "../schema/wire.ts";
import { shorten } from "../util/nearest.ts";
import { suggest } from "../util/suggest.ts";
import { format } from "../yaml/format.ts";
import { entriesOf, entry, nodeAt, without } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { type Field, type Note, importedFields, menuText, templatesIn } from "./menu-text.ts";
import type { ImportedPayload } from "./payloads.ts";
import { References } from "./references.ts";

export interface MenuText {
  readonly text: string;
  /** The values that are ids, because they have no name. */
  readonly unnamed: readonly Note[];
}

/** The project that menus are written for. */
export interface Target {
  readonly environment: Environment;
  /** Without a list, menus refer to agents by extension id. */
  readonly agents: Agents | undefined;
  /** The files _defaults.yaml. */
  readonly folders: readonly Source[];
  readonly payloads: readonly ImportedPayload[];
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
  readonly #reachable: Agents;

  constructor({ environment, agents, folders, payloads }: Target) {
    this.#environment = environment;
    this.#inherited = new FolderDefaults(folders, environment);
    this.#references = new References(agents, environment);
    this.#reachable = reachable(agents?.list ?? [], payloads);
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
    const wanted = comparable(imported.payload, environment, isOrdered);
    const compile = (fields: readonly Field[]) => {
      const source = new Source("ivrs/imported.yaml", menuText(fields, head));
      const result = compileAlone(source, imported, environment, this.#reachable);
      const sent = result.payload && comparable(result.payload, environment, isOrdered);
      return { ...result, source, fields, sent, isSame: sent && isSame(sent, wanted) };
    };
    const isDefault = ({ path: [outer = "", inner] }: Field) => {
      const around = inner === undefined ? defaults : entry(defaults, outer)?.value;
      return entriesOf(around).some(({ key }) => canonicalKey(key.text) === (inner ?? outer));
    };
    const given = new Set(imported.payload.option.map(String));
    const removed = entriesOf(entry(defaults, "options")?.value)
      .map(({ key }) => canonicalKey(key.text))
      .filter((key) => !given.has(key))
      .map((key): Field => ({ path: ["options", key], value: null, at: imported.at() }));
    const all = importedFields(imported, environment, this.#references, found);
    const lastOption = all.findLastIndex(({ path }) => path[0] === "options");
    all.splice(lastOption + 1, 0, ...removed);
    let best = compile(all.filter((field) => field.value !== null || isDefault(field)));
    if (!found.hasErrors && best.isSame) {
      // From the end, because the options of the defaults come after those of the menu.
      for (const field of best.fields.filter(isDefault).toReversed()) {
        const shorter = compile(best.fields.filter((own) => own !== field));
        if (shorter.isSame) best = shorter;
      }
      warnOfInvalid(best.fields, environment, found);
    } else if (!found.hasErrors) explain(imported, best, wanted, environment, found);
    diagnostics.addAll(found);
    if (found.hasErrors) return undefined;
    return {
      text: best.source.text,
      unnamed: best.fields.flatMap(({ notes = [] }) => notes.filter(({ invalid }) => !invalid)),
    };
  }
}

/** Compiles one menu. The menus that it links to need not exist. */
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

/** Reports the agents that `validate` will reject. */
function warnOfInvalid(
  fields: readonly Field[],
  environment: Environment,
  diagnostics: Diagnostics,
): void {
  for (const { at, notes = [] } of fields) {
    for (const { text, invalid } of notes) {
      if (!invalid) continue;
      diagnostics.add("IVR659", at, `${text[0]?.toUpperCase()}${text.slice(1)}.`, {
        words: "Correct the menu after the import. If the agent list is old, pull it again:",
        argv: suggest("agents pull", [], environment.name),
      });
    }
  }
}

/** The facts of a payload, without SMS templates that are all empty, and the order of its options. */
function comparable(payload: Payload, environment: Environment, isOrdered: boolean): Facts {
  const { sms_template: _, ...others } = payload;
  const sent = templatesIn(payload, environment) === undefined ? others : payload;
  const order = isOrdered ? payload.option.join(", ") : "";
  return { ...payloadFacts(sent), option: order };
}

/** Reports why the menu with all fields does not compile to a payload. */
function explain(
  { payload, at }: ImportedPayload,
  compiled: {
    readonly source: Source;
    readonly fields: readonly Field[];
    readonly sent: Facts | undefined;
    readonly diagnostics: Diagnostics;
  },
  wanted: Facts,
  { name: environment }: Environment,
  diagnostics: Diagnostics,
): void {
  const { sent } = compiled;
  if (sent === undefined) {
    const root = readYaml(compiled.source, new Diagnostics())[0]?.root;
    for (const { severity, line = 1, column = 1, message, hint } of compiled.diagnostics.sorted()) {
      if (severity !== "error") continue;
      const offset = compiled.source.offset(line, column);
      const field = compiled.fields.find(({ path }) => {
        const node = root && nodeAt(root, path);
        return node !== undefined && offset <= node.end;
      });
      diagnostics.add("IVR655", field?.at ?? at(), message, hint);
    }
    return;
  }
  const recordings = wireOf("recording");
  const bare = recordings.filter((name) => payload[name]?.includes("||") === false);
  // A value besides those of the payload, and the order of options, follow from other differences.
  const changed = changedFacts(sent, wanted).filter(({ after }) => after !== null);
  const others = changed.filter(({ field }) => field !== "option");
  for (const { field, before } of others.length > 0 ? others : changed) {
    const [name = "", key] = field.split(/\.(.*)/s);
    const index = payload.option.findIndex((own) => String(own) === key);
    diagnostics.add(
      "IVR655",
      index === -1 ? at(name) : at(before === null ? "option" : name, index),
      `The environment \`${environment}\` sends ${before === null ? "nothing" : `\`${shorten(before)}\``} instead of this value.`,
      recordings.some((own) => own === field)
        ? `Write \`wire: { plain_recordings: [${bare.join(", ")}] }\` in ivrctl.yaml.`
        : "Correct the value, or compare `wire:` in ivrctl.yaml with what the service accepts.",
    );
  }
}

/**
 * The agent list with every agent of the payloads reachable. An imported menu keeps its agents even
 * if one is gone, blocked or shares an extension.
 */
function reachable(list: readonly Agent[], payloads: readonly ImportedPayload[]): Agents {
  const agents = new Map<string | Agent, Agent>();
  const unknown = payloads
    .flatMap(({ payload }) => destinationsIn(payload))
    .flatMap((to) => /^extension\|\|(\S+)$/.exec(to)?.[1] ?? [])
    .map((eid) => fromListed({ name: "", eid }));
  for (const agent of [...list, ...unknown]) {
    const id = agent.eid ?? agent;
    if (!agents.has(id)) agents.set(id, { ...agent, blocked: false });
  }
  return new Agents([...agents.values()]);
}

/** A menu as `fmt` writes it. */
export async function formattedMenu(menu: MenuText): Promise<MenuText> {
  const text = await format(new Source("menu.yaml", menu.text), new Diagnostics());
  return { ...menu, text: text ?? menu.text };
}
