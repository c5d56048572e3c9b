import { encode } from "../deploy/service/encode-payload.ts";
import { type Menu, destinationsOf, openLinks } from "../model/menu.ts";
import { changedFields, fieldsIn, isSameMenu } from "../model/menu-diff.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source, type Span } from "../diagnostics/source.ts";
import { Agents, fromListed } from "../project/agent-list.ts";
import { compileMenus } from "../workspace/compile-project.ts";
import { canonicalKey } from "../project/options.ts";
import { withListedNames } from "../project/listed-names.ts";
import { FolderDefaults } from "../compile/folder-defaults.ts";
import type { Environment } from "../project/environment.ts";
import { fields as table } from "../schema/fields.ts";
import { groupBy } from "../util/group-by.ts";
import { shorten } from "../util/nearest.ts";
import { format } from "../yaml/formatter.ts";
import { entriesOf, entry, nodeAt, without } from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import {
  type WrittenField,
  type Note,
  importedFields,
  inFileOrder,
  menuText,
} from "./menu-text.ts";
import type { ImportedMenu } from "./payloads.ts";
import { References } from "../references/shortest-reference.ts";

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
  readonly fields: readonly WrittenField[];
  readonly sent: Menu | undefined;
  readonly diagnostics: Diagnostics;
}

/**
 * Returns a function that writes these payloads as menus of one project: the shortest text that compiles
 * to the payload. Undefined, with diagnostics, if there is none: the menu with all fields does not
 * compile to it.
 */
export function menuWriter(
  { environment: chosen, agents: listed, folders }: Target,
  menus: readonly ImportedMenu[],
) {
  const environment = withListedNames(chosen, listed);
  const folderDefaults = new FolderDefaults(folders, environment);
  const references = new References(listed, environment);
  const agents = reachable(listed, menus);
  return (
    imported: ImportedMenu,
    { file, isOrdered }: Place,
    diagnostics: Diagnostics,
  ): MenuText | undefined => {
    const { menu: wanted, templates } = imported;
    const hasEmptyTemplates = templates && !hasTemplate(wanted);
    const problems = new Diagnostics();
    const inFolder = folderDefaults.of(file).defaults;
    // Tests of the folder may use variables that the new menu does not have.
    const defaults = inFolder && without(inFolder, "tests");
    const inherited = new FolderDefaults([], { ...environment, defaults });
    // The menus that it links to need not exist.
    const linkedKeys = openLinks(destinationsOf(wanted));
    const compile = (fields: readonly WrittenField[]): Attempt => {
      const source = new Source("ivrs/imported.yaml", menuText(fields));
      const { compiled, diagnostics: errors } = compileMenus({
        sources: [source],
        inherited,
        environment,
        agents,
        otherKeys: linkedKeys,
      });
      const [menu] = compiled.values();
      return { source, fields, sent: menu?.content, diagnostics: errors };
    };
    const isExact = ({ sent }: Attempt) =>
      sent !== undefined &&
      isSameMenu(sent, wanted) &&
      otherTemplates(imported, sent, environment).length === 0 &&
      (!isOrdered || orderOf(sent) === orderOf(wanted));
    const isDefault = ({ path: [outer = "", inner] }: WrittenField) => {
      const around = inner === undefined ? defaults : entry(defaults, outer)?.value;
      return entriesOf(around).some(({ key }) => canonicalKey(key.text) === (inner ?? outer));
    };
    const keys = new Set(wanted.options.map(({ key }) => key));
    const removed = entriesOf(entry(defaults, "options")?.value)
      .map(({ key }) => canonicalKey(key.text))
      .filter((key) => !keys.has(key))
      .map((key): WrittenField => ({ path: ["options", key], value: null, at: imported.at() }));
    const all = [...importedFields(imported, references, problems), ...removed];
    let best = compile(
      inFileOrder(all.filter((field) => field.value !== null || isDefault(field))),
    );
    if (!problems.hasErrors && !isExact(best)) explain(imported, best, environment, problems);
    diagnostics.addAll(problems);
    if (problems.hasErrors) return undefined;
    // From the end, because the options of the defaults come after those of the menu.
    for (const field of best.fields.filter(isDefault).toReversed()) {
      const shorter = compile(best.fields.filter((other) => other !== field));
      if (isExact(shorter)) best = shorter;
    }
    const notes = best.fields.flatMap((field) => field.notes ?? []);
    const leftOut = { sent: "sms_template", text: "it has no template, so the menu leaves it out" };
    return { text: best.source.text, notes: hasEmptyTemplates ? [...notes, leftOut] : notes };
  };
}

function hasTemplate({ options }: Menu): boolean {
  return options.some(({ sms }) => sms !== undefined);
}

/** The options whose template is sent in a different form, although it means the same: none. */
function otherTemplates(
  { menu, templates }: ImportedMenu,
  sent: Menu,
  { wire }: Environment,
): number[] {
  if (templates === undefined || !hasTemplate(menu)) return [];
  const now = encode(sent, wire).sms_template;
  return menu.options.flatMap(({ key }, at) => {
    const index = sent.options.findIndex((option) => option.key === key);
    return index === -1 || templates[at] === now?.[index] ? [] : at;
  });
}

function orderOf({ options }: Menu): string {
  return options.map(({ key }) => key).join(", ");
}

/** Reports why the menu with all fields does not compile to a payload. */
function explain(
  imported: ImportedMenu,
  { source, fields, sent, diagnostics: errors }: Attempt,
  target: Environment,
  diagnostics: Diagnostics,
): void {
  const { menu: wanted, at } = imported;
  const { name: environment, wire } = target;
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
  const payload = encode(sent, wire);
  const bare = [...fieldsIn(wanted).values()].flatMap(({ is, value, row }) =>
    is === "recording" && value.plain ? table[row].wire : [],
  );
  const report = (span: Span, instead: string | undefined, hint: string) =>
    diagnostics.add(
      "IVR655",
      span,
      `The environment \`${environment}\` sends ${instead === undefined ? "nothing" : `\`${shorten(instead)}\``} instead of this value.`,
      hint,
    );
  const compareWire =
    "Correct the value, or compare `wire:` in ivrctl.yaml with what the service accepts.";
  // A value besides those of the payload follows from other differences.
  const changed = changedFields(sent, wanted).filter(({ after }) => after !== undefined);
  for (const { row, before, after } of changed) {
    const { is, wire: name } = table[row];
    const key = after?.option?.key;
    const index = wanted.options.findIndex((option) => option.key === key);
    const value = payload[name];
    const sentAt = sent.options.findIndex((option) => option.key === key);
    const instead = before && String(Array.isArray(value) ? value[sentAt] : value);
    report(
      index === -1 ? at(name) : at(before === undefined ? "option" : name, index),
      instead,
      is === "recording"
        ? `Write \`wire: { plain_recordings: [${bare.join(", ")}] }\` in ivrctl.yaml.`
        : compareWire,
    );
  }
  const others = otherTemplates(imported, sent, target);
  for (const index of others) report(at("sms_template", index), wire.no_sms_template, compareWire);
  if (changed.length + others.length === 0) report(at("option"), orderOf(sent), compareWire);
}

/**
 * The agent list with every agent of the payloads reachable. An imported menu keeps its agents even if
 * one is gone, blocked or shares an extension.
 */
function reachable(agents: Agents | undefined, menus: readonly ImportedMenu[]): Agents {
  const unknown = menus
    .flatMap(({ menu }) => destinationsOf(menu))
    .flatMap((to) => (to.kind === "agent" && !/\s/.test(to.eid) ? to.eid : []))
    .map((eid) => fromListed({ name: "", eid }));
  const byEid = groupBy([...(agents?.list ?? []), ...unknown], (agent) => agent.eid ?? agent);
  return new Agents(
    [...byEid.values()].map(([agent]) => Object.assign({}, agent, { blocked: false })),
    agents?.origin,
  );
}

/** A menu as `fmt` writes it. */
export async function formattedMenu(menu: MenuText): Promise<MenuText> {
  const text = await format(new Source("menu.yaml", menu.text), new Diagnostics());
  return { ...menu, text: text ?? menu.text };
}
