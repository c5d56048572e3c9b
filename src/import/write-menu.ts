import { type Facts, changedFacts, isSame, payloadFacts } from "../deploy/plan/digest.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source } from "../diagnostics/source.ts";
import { Agents, fromListed } from "../compile/agents.ts";
import { compileMenus } from "../compile/compile-project.ts";
import { canonicalKey } from "../compile/options.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import type { Environment } from "../project/environment.ts";
import { wireOf } from "../schema/fields.ts";
import { type Payload, destinationsIn, referencedMenu } from "../schema/wire.ts";
import { groupBy } from "../util/group-by.ts";
import { shorten } from "../util/nearest.ts";
import { format } from "../yaml/format.ts";
import { entriesOf, entry, nodeAt, without } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import {
  type Field,
  type Note,
  importedFields,
  inFileOrder,
  menuText,
  templatesIn,
} from "./menu-text.ts";
import type { ImportedPayload } from "./payloads.ts";
import { References } from "./shortest-reference.ts";

export interface MenuText {
  readonly text: string;
  /** What to check in it. */
  readonly notes: readonly Note[];
}

/** The project that menus are written for. */
interface Target {
  readonly environment: Environment;
  /** Without a list, menus refer to agents by extension id. */
  readonly agents: Agents | undefined;
  /** The files _defaults.yaml. */
  readonly folders: readonly Source[];
}

/** Where a menu is written, and what its payload must keep. */
interface Place {
  readonly file: string;
  /** Whether the order of the options is part of the payload. */
  readonly isOrdered: boolean;
}

/** A menu text, what it compiles to, and why it does not. */
interface Attempt {
  readonly source: Source;
  readonly fields: readonly Field[];
  readonly sent: Facts | undefined;
  readonly diagnostics: Diagnostics;
}

/**
 * Returns a function that writes these payloads as menus of one project: the shortest text that compiles
 * to the payload. Undefined, with diagnostics, if there is none: the menu with all fields does not
 * compile to it.
 */
export function menuWriter(
  { environment, agents: listed, folders }: Target,
  payloads: readonly ImportedPayload[],
) {
  const folderDefaults = new FolderDefaults(folders, environment);
  const references = new References(listed, environment);
  const agents = reachable(listed, payloads);
  return (
    imported: ImportedPayload,
    { file, isOrdered }: Place,
    diagnostics: Diagnostics,
  ): MenuText | undefined => {
    const { payload } = imported;
    const found = new Diagnostics();
    const inFolder = folderDefaults.of(file).defaults;
    // Tests of the folder may use variables that the new menu does not have.
    const defaults = inFolder && without(inFolder, "tests");
    const inherited = new FolderDefaults([], { ...environment, defaults });
    const wanted = comparable(payload, environment, isOrdered);
    // The menus that it links to need not exist.
    const known = destinationsIn(payload).flatMap((to) => referencedMenu(to) ?? []);
    const compile = (fields: readonly Field[]): Attempt => {
      const source = new Source("ivrs/imported.yaml", menuText(fields));
      const { compiled, diagnostics: errors } = compileMenus({
        sources: [source],
        inherited,
        environment,
        agents,
        known,
      });
      const [menu] = compiled.values();
      const sent = menu && comparable(menu.payload, environment, isOrdered);
      return { source, fields, sent, diagnostics: errors };
    };
    const isExact = ({ sent }: Attempt) => sent !== undefined && isSame(sent, wanted);
    const isDefault = ({ path: [outer = "", inner] }: Field) => {
      const around = inner === undefined ? defaults : entry(defaults, outer)?.value;
      return entriesOf(around).some(({ key }) => canonicalKey(key.text) === (inner ?? outer));
    };
    const given = new Set(payload.option.map(String));
    const removed = entriesOf(entry(defaults, "options")?.value)
      .map(({ key }) => canonicalKey(key.text))
      .filter((key) => !given.has(key))
      .map((key): Field => ({ path: ["options", key], value: null, at: imported.at() }));
    const all = [...importedFields(imported, environment, references, found), ...removed];
    let best = compile(
      inFileOrder(all.filter((field) => field.value !== null || isDefault(field))),
    );
    if (!found.hasErrors && !isExact(best)) explain(imported, best, wanted, environment, found);
    diagnostics.addAll(found);
    if (found.hasErrors) return undefined;
    // From the end, because the options of the defaults come after those of the menu.
    for (const field of best.fields.filter(isDefault).toReversed()) {
      const shorter = compile(best.fields.filter((other) => other !== field));
      if (isExact(shorter)) best = shorter;
    }
    const notes = best.fields.flatMap((field) => field.notes ?? []);
    const hasNoTemplate = payload.sms_template && templatesIn(payload, environment) === undefined;
    const leftOut = { sent: "sms_template", text: "it has no template, so the menu leaves it out" };
    return { text: best.source.text, notes: hasNoTemplate ? [...notes, leftOut] : notes };
  };
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
  { source, fields, sent, diagnostics: errors }: Attempt,
  wanted: Facts,
  { name: environment }: Environment,
  diagnostics: Diagnostics,
): void {
  if (sent === undefined) {
    const root = readYaml(source, new Diagnostics())[0]?.root;
    for (const { severity, line = 1, column = 1, message, hint } of errors.sorted()) {
      if (severity !== "error") continue;
      const offset = source.offset(line, column);
      const field = fields.find(({ path }) => {
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
    const index = payload.option.findIndex((option) => String(option) === key);
    diagnostics.add(
      "IVR655",
      index === -1 ? at(name) : at(before === null ? "option" : name, index),
      `The environment \`${environment}\` sends ${before === null ? "nothing" : `\`${shorten(before)}\``} instead of this value.`,
      recordings.some((recording) => recording === field)
        ? `Write \`wire: { plain_recordings: [${bare.join(", ")}] }\` in ivrctl.yaml.`
        : "Correct the value, or compare `wire:` in ivrctl.yaml with what the service accepts.",
    );
  }
}

/**
 * The agent list with every agent of the payloads reachable. An imported menu keeps its agents even if
 * one is gone, blocked or shares an extension.
 */
function reachable(agents: Agents | undefined, payloads: readonly ImportedPayload[]): Agents {
  const unknown = payloads
    .flatMap(({ payload }) => destinationsIn(payload))
    .flatMap((to) => /^extension\|\|(\S+)$/.exec(to)?.[1] ?? [])
    .map((eid) => fromListed({ name: "", eid }));
  const byEid = groupBy([...(agents?.list ?? []), ...unknown], (agent) => agent.eid ?? agent);
  return new Agents(
    [...byEid.values()].map(([agent]) => Object.assign({}, agent, { blocked: false })),
  );
}

/** A menu as `fmt` writes it. */
export async function formattedMenu(menu: MenuText): Promise<MenuText> {
  const text = await format(new Source("menu.yaml", menu.text), new Diagnostics());
  return { ...menu, text: text ?? menu.text };
}
