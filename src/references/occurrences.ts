import { type Agent, normalName } from "../project/agent-list.ts";
import type { LoadedProject } from "../workspace/load-project.ts";
import type { ResolvedDestination, ResolvedRecording } from "../compile/compiled-menu.ts";
import { readMenus } from "../compile/read-menus.ts";
import { readValue, resolveDestination, resolveRecording } from "../compile/references.ts";
import { effectiveMenu } from "../compile/resolve-menu.ts";
import { variablesWritten } from "../project/vars.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { Source, type Span } from "../diagnostics/source.ts";
import { findSnapshot } from "../project/agents-lock.ts";
import { configName, folderDefaultsOf, keyFromPath } from "../project/files.ts";
import { anyRecording, destinationFieldNames, option } from "../schema/destination.ts";
import { type SchemaSubject, schemasAt } from "../workspace/file-schemas.ts";
import {
  type Node,
  type Path,
  type ScalarNode,
  entriesOf,
  field,
  isNull,
  isUnusable,
  scalarsIn,
  textField,
} from "../yaml/node.ts";
import { readYaml } from "../yaml/read-yaml.ts";

type ThingKind = "agent" | "menu" | "recording" | "SMS template" | "variable" | "destination";

/** A place in the files that means an agent, a menu, a recording, a template, a variable or a destination. */
export interface Occurrence {
  readonly kind: ThingKind;
  /** The same for every place that means the same thing. */
  readonly id: string;
  /** The name that people use for it. */
  readonly name: string;
  /** The parts of the text that mean it. The first stands for all. */
  readonly spans: readonly [Span, ...Span[]];
  readonly isDefinition: boolean;
  /** The tree that it is in, with defaults and variables applied, and the way to it. */
  readonly in: Tree;
  readonly path: Path;
  /** The value of a destination, and what it means. */
  readonly node?: Node;
  readonly destination?: ResolvedDestination;
  /** The only agent that it matches. */
  readonly agent?: Agent | undefined;
  readonly recording?: ResolvedRecording["value"] | undefined;
}

/** A document of the project. */
interface Tree {
  readonly source: Source;
  readonly subject: SchemaSubject;
  /** The mapping as written. */
  readonly raw: Node;
  /** The mapping with defaults and variables, as far as they are known. */
  readonly root: Node;
  /** The key of the menu, or of the tested menu. */
  readonly key: string | undefined;
  /** What is the same for all trees with the same variables of their own. */
  readonly scope: string;
  /** Whether only other environments have the menu. */
  readonly isAbsent: boolean;
}

const occurrencesByProject = new WeakMap<LoadedProject, readonly Occurrence[]>();

/** Everything that the files of a project name. A default is there again for each menu that uses it. */
export function occurrencesIn(project: LoadedProject): readonly Occurrence[] {
  let occurrences = occurrencesByProject.get(project);
  if (occurrences === undefined) {
    occurrences = findAll(project);
    occurrencesByProject.set(project, occurrences);
  }
  return occurrences;
}

/** The same occurrences, each place once. */
export function eachPlace(occurrences: readonly Occurrence[]): Occurrence[] {
  const places = new Map(
    occurrences.map((occurrence) => {
      const { source, start } = occurrence.spans[0];
      return [`${source.file} ${start} ${occurrence.id}`, occurrence];
    }),
  );
  return [...places.values()];
}

/** Where a text with variables is written, if it is written as a whole. */
export function writtenAt(scalar: ScalarNode): Span | undefined {
  if (scalar.via === undefined) return scalar;
  return scalar.via.find(({ text }) => text === scalar.text)?.at;
}

function findAll(project: LoadedProject): Occurrence[] {
  const trees = treesOf(project);
  const agents = new Map(project.agents?.list.map((agent, index) => [agent, String(index)]));
  const inTrees = trees.flatMap((tree) => [
    ...namesBelow(tree, tree.root, [], { project, agents }),
    ...definitionsIn(tree),
  ]);
  return [...inTrees, ...variablesIn(trees), ...listedAgents(project, agents)];
}

/** All documents of a project, except those that cannot be read. */
function treesOf({ opened, inherited, menus, absent, flow }: LoadedProject): Tree[] {
  const absentKeys = new Set(absent.map(({ key }) => key));
  const varsOf = new Map(menus.map(({ key, vars }) => [key, vars]));
  const nothing = new Diagnostics();
  const menuTrees = opened.menus.flatMap((source) =>
    readMenus(source, nothing).map((node): Tree => {
      const { root } = effectiveMenu(node, inherited.of(source.file), nothing);
      const { key, root: raw } = node;
      const isAbsent = absentKeys.has(key) && !flow.menus.has(key ?? "");
      const scope = `${source.file}#${node.top.start}`;
      return { source, subject: "menu", raw, root, key, scope, isAbsent };
    }),
  );
  const scopes = new Map(menuTrees.map(({ key, scope }) => [key, scope]));
  const testTrees = opened.tests.flatMap((source) =>
    rootsIn(source).map((raw): Tree => {
      const key = textField(raw, "menu") ?? keyFromPath(source.file).replace(/\.test$/, "");
      const vars = raw.kind === "map" ? varsOf.get(key)?.fill(raw, nothing) : undefined;
      const root = vars?.tree ?? raw;
      const scope = scopes.get(key) ?? source.file;
      return { source, subject: "test", raw, root, key, scope, isAbsent: absentKeys.has(key) };
    }),
  );
  const plain = (source: Source, subject: SchemaSubject, raw: Node): Tree => {
    const place = { key: undefined, scope: source.file, isAbsent: false };
    return { source, subject, raw, root: raw, ...place };
  };
  const folderTrees = opened.folders.flatMap((source) =>
    rootsIn(source).map((raw) => plain(source, "defaults", raw)),
  );
  const { config } = opened;
  const configTrees = config ? [plain(config.source, "config", config.root)] : [];
  return [...menuTrees, ...testTrees, ...folderTrees, ...configTrees];
}

/** The documents in texts of an editor, which asks about the same texts again and again. */
const parsed = new WeakMap<Source, readonly Node[]>();

/** The documents of a file, except those that cannot be read. */
export function rootsIn(source: Source): readonly Node[] {
  const roots =
    parsed.get(source) ?? readYaml(source, new Diagnostics()).flatMap(({ root }) => root ?? []);
  if (source.isReused) parsed.set(source, roots);
  return roots;
}

interface Lookup {
  readonly project: LoadedProject;
  readonly agents: ReadonlyMap<Agent, string>;
}

/** Everything that a part of a tree refers to. */
function namesBelow(tree: Tree, node: Node, path: Path, lookup: Lookup): Occurrence[] {
  const shape = shapeAt(tree.subject, path);
  if (shape === "destination") {
    const sms = field(node, "sms");
    const more = sms === undefined ? [] : namesBelow(tree, sms, [...path, "sms"], lookup);
    return [...destinationAt(tree, node, path, lookup), ...more];
  }
  if (shape === "recording") return recordingAt(tree, node, path, lookup);
  if (node.kind === "list") {
    return node.items.flatMap((item, step) => namesBelow(tree, item, [...path, step], lookup));
  }
  if (node.kind === "map") {
    return node.entries.flatMap(({ key, value }) =>
      namesBelow(tree, value, [...path, key.text], lookup),
    );
  }
  if (shape === undefined || node.unusable) return [];
  return [named(shape, node.text, node, tree, path)];
}

type Shape = "destination" | "recording" | "SMS template" | "menu";

const shapes = new Map<string, Shape | undefined>();

/** What the value at a path refers to. */
function shapeAt(subject: SchemaSubject, path: Path): Shape | undefined {
  const steps = path.map((step) => (typeof step === "number" ? 0 : step));
  const place = [subject, ...steps].join("\0");
  if (!shapes.has(place)) shapes.set(place, findShape(subject, steps));
  return shapes.get(place);
}

function findShape(subject: SchemaSubject, path: Path): Shape | undefined {
  const last = path.findLast((step) => step !== 0);
  const isInvariant = subject === "config" && path[0] === "invariants";
  if (last === "in" || (subject === "test" && last === "menu")) return "menu";
  if (isInvariant && (last === "menus" || last === "except")) return "menu";
  const schemas = schemasAt(subject, path);
  if (schemas.some(({ shape }) => shape === "recording_reference")) return "recording";
  if (schemas.some(({ shape = "" }) => destinations.has(shape))) return "destination";
  return schemas.some(({ completes }) => completes === "sms_template") ? "SMS template" : undefined;
}

/** The shapes in the schema of values that name an agent or a menu. */
const destinations = new Set(["option", "destination", "reached"]);

function named(
  kind: Exclude<ThingKind, "agent">,
  name: string,
  node: ScalarNode,
  tree: Tree,
  path: Path,
  at: Span = writtenAt(node) ?? node,
): Occurrence {
  const id = `${kind} ${name}`;
  return { kind, id, name, spans: [at], isDefinition: false, in: tree, path, node };
}

/** The place where something is defined: the key of a mapping. */
function defined(
  kind: "menu" | "recording" | "SMS template" | "destination" | "variable",
  name: string,
  node: ScalarNode,
  tree: Tree,
): Occurrence {
  return { ...named(kind, name, node, tree, []), isDefinition: true };
}

function recordingAt(tree: Tree, node: Node, path: Path, { project }: Lookup): Occurrence[] {
  const { environment, agents } = project;
  const written = readValue(anyRecording, node);
  if (written === undefined) return [];
  const context = { environment, agents, diagnostics: new Diagnostics() };
  const recording = resolveRecording(written, node, context)?.value;
  const [scalar] = scalarsIn(node);
  if (scalar === undefined) return [];
  // An id is no alias, and neither is what the service calls a recording, so they are not renamed with one.
  const name = typeof written === "string" ? written : Object.entries(written).flat().join(" ");
  return [{ ...named("recording", name, scalar, tree, path), recording }];
}

function destinationAt(
  tree: Tree,
  node: Node,
  path: Path,
  { project, agents: indexes }: Lookup,
): Occurrence[] {
  const { environment, agents } = project;
  // Most destinations are names, which need no schema.
  const isName = node.kind === "scalar" && !isUnusable(node) && !isNull(node);
  const written = isName ? node.text : readValue(option, node);
  const context = { environment, agents, diagnostics: new Diagnostics() };
  const destination =
    written === undefined ? undefined : resolveDestination(written, node, context);
  if (destination === undefined) return [];
  const { value, reference } = destination;
  const [first = destination.at, ...others] = scalarsOf(node).map((one) => writtenAt(one) ?? one);
  const at = { spans: [first, ...others] as const, isDefinition: false, in: tree, path, node };
  if (value?.kind === "menu") {
    return [{ kind: "menu", id: `menu ${value.key}`, name: value.key, ...at, destination }];
  }
  const to = field(node, "to");
  if (value?.kind === "other" && value.alias !== undefined && to?.kind === "scalar") {
    return [{ ...named("destination", value.alias, to, tree, path), node, destination }];
  }
  if (reference === undefined) {
    const id = `destination ${JSON.stringify(value)}`;
    return [{ kind: "destination", id, name: "", ...at, destination }];
  }
  const [agent, other] = agents?.find(reference) ?? [];
  const isOne = agent !== undefined && other === undefined;
  const entries = Object.entries(reference).map(([name, text]) => [name, normalName(text)]);
  return [
    {
      kind: "agent",
      id: `agent ${isOne ? indexes.get(agent) : JSON.stringify(entries)}`,
      name: isOne ? agent.name : (reference.agent ?? Object.values(reference).join(", ")),
      ...at,
      destination,
      agent: isOne ? agent : undefined,
    },
  ];
}

function scalarsOf(node: Node): ScalarNode[] {
  if (node.kind === "scalar") return [node];
  return entriesOf(node).flatMap(({ key, value }) =>
    destinationFieldNames.has(key.text) && value.kind === "scalar" ? value : [],
  );
}

/** The menus, recordings and SMS templates that a document defines. */
function definitionsIn(tree: Tree): Occurrence[] {
  const { raw, subject, key } = tree;
  const [first] = entriesOf(raw);
  if (subject === "menu" && key !== undefined && first !== undefined) {
    const id = field(raw, "id");
    return [defined("menu", key, id?.kind === "scalar" ? id : first.key, tree)];
  }
  if (subject !== "config") return [];
  const sections = [
    ["recordings", "recording"],
    ["sms_templates", "SMS template"],
    ["destinations", "destination"],
  ] as const;
  return sections.flatMap(([section, kind]) =>
    configParts(raw)
      .flatMap((part) => keysOf(part, section))
      .map((at) => defined(kind, at.text, at, tree)),
  );
}

function keysOf(owner: Node, name: string): ScalarNode[] {
  return entriesOf(field(owner, name)).map(({ key }) => key);
}

/** The configuration, and its environments. */
function configParts(root: Node): Node[] {
  return [root, ...entriesOf(field(root, "environments")).map(({ value }) => value)];
}

/** Every variable that is set or used. Variables with the same name are different ones if no menu has both. */
function variablesIn(trees: readonly Tree[]): Occurrence[] {
  const variables = trees.flatMap((tree) => {
    const parts = tree.subject === "config" ? configParts(tree.raw) : [tree.raw];
    const set = parts
      .flatMap((part) => keysOf(part, "vars"))
      .map((key) => defined("variable", key.text, key, tree));
    // Most files use no variables.
    const scalars = tree.source.text.includes("{{") ? scalarsIn(tree.raw) : [];
    const used = scalars.flatMap((node) =>
      variablesWritten(node).map(({ value, at }) => named("variable", value, node, tree, [], at)),
    );
    return [...set, ...used];
  });
  const names = new Map<string, Set<string>>();
  for (const { name, in: tree } of variables) {
    names.set(tree.scope, (names.get(tree.scope) ?? new Set()).add(name));
  }
  const parents = new Map<string, string>();
  const top = (id: string): string => {
    const parent = parents.get(id);
    return parent === undefined ? id : top(parent);
  };
  for (const { scope, source, subject } of trees) {
    if (subject !== "menu") continue;
    const first = new Map<string, string>();
    for (const owner of [configName, ...folderDefaultsOf(source.file), scope]) {
      for (const name of names.get(owner) ?? []) {
        const id = top(`variable ${name} ${owner}`);
        const other = top(first.get(name) ?? id);
        if (id !== other) parents.set(id, other);
        first.set(name, other);
      }
    }
  }
  return variables.map((one) =>
    Object.assign(one, { id: top(`variable ${one.name} ${one.in.scope}`) }),
  );
}

/** The agents, where the agent list has one on each line, as `ivrctl agents pull` writes it. */
function listedAgents(
  { opened, environment, agents }: LoadedProject,
  indexes: ReadonlyMap<Agent, string>,
): Occurrence[] {
  const file = findSnapshot(opened.files, environment?.name);
  const source = file && opened.files.read(file, "agentList", new Diagnostics());
  if (!source || agents === undefined) return [];
  const places = new Map<string, Span>();
  for (const { 0: line, index, groups } of source.text.matchAll(agentLine)) {
    const { name = "", eid = "" } = groups ?? {};
    places.set(`${name} ${eid}`, source.span(index, index + line.length));
  }
  const raw: ScalarNode = { kind: "scalar", ...source.top(), text: "", plain: true };
  const tree: Tree = {
    source,
    subject: "config",
    raw,
    root: raw,
    key: undefined,
    scope: "",
    isAbsent: false,
  };
  return agents.list.flatMap((agent) => {
    const { name } = agent;
    const at = places.get(`${JSON.stringify(name)} ${JSON.stringify(agent.eid)}`);
    if (at === undefined) return [];
    const id = `agent ${indexes.get(agent)}`;
    return { kind: "agent", id, name, spans: [at], isDefinition: true, in: tree, path: [], agent };
  });
}

const agentLine = /\{ "id".*?"name": (?<name>"(?:[^"\\]|\\.)*"), "eid": (?<eid>"[^"]*"|null).*\}/g;
