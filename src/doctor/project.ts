import { Agents } from "../compile/agents.ts";
import { readAgentList } from "../compile/agent-list.ts";
import { readSnapshot, snapshotName } from "../project/files.ts";
import { type Node, entry, field } from "../yaml/node.ts";
import { type ServiceSettings, readService } from "../project/service-settings.ts";
import { type StateSettings, readStateSettings } from "../project/state-settings.ts";
import { unsetMessage, variablesIn } from "../project/variables.ts";
import { compileWith } from "../compile/compile-project.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Project as OpenProject, openProject } from "../project/open-project.ts";
import { ageOf } from "../views/age.ts";
import type { Finding } from "../views/doctor.ts";
import type { Context } from "../cli/command.ts";
import { count, countedOf, failed, ok, skipped, toldBy, warning } from "./finding.ts";

/** The project as far as it can be read; what is wrong with one part hides no other. */
export interface Project extends OpenProject {
  readonly settings: ServiceSettings | undefined;
  readonly state: StateSettings | undefined;
  readonly found: OpenProject["found"] & {
    readonly service: Diagnostics;
    readonly state: Diagnostics;
  };
}

export async function readDoctorProject(context: Context): Promise<Project> {
  const project = await openProject(context);
  const { config, environment, variables } = project;
  const found = { ...project.found, service: new Diagnostics(), state: new Diagnostics() };
  const isChosen = config !== undefined && environment !== undefined;
  return {
    ...project,
    settings: isChosen
      ? readService(config, environment.name, variables, found.service)
      : undefined,
    state: isChosen
      ? readStateSettings(config, environment.name, variables, found.state)
      : undefined,
    found,
  };
}

/** To be asked last: the menus' compilation reads settings too. */
export function judgeConfiguration({ config, environment, found }: Project): Finding {
  const own = new Diagnostics();
  own.addAll(found.config);
  if (config === undefined) own.addAll(found.files);
  if (environment !== undefined) own.addAll(found.environment);
  // Variables are told one by one.
  const faults = own.sorted().filter(({ code }) => code !== "IVR403");
  const file = config?.source.file ?? "";
  return countedOf("configuration", faults, `${file} is valid.`, "`ivrctl validate` shows all.");
}

export function judgeEnvironment({ config, environment, found }: Project): Finding {
  if (environment !== undefined) return ok("environment", `${environment.name}.`);
  const [fault] = found.environment.sorted();
  if (fault !== undefined) return toldBy("environment", fault);
  const why = config === undefined ? "cannot be read" : "names none";
  return skipped("environment", `Not known: the configuration ${why}.`);
}

/** Each variable that the environment names. Never a value, and nothing about one. */
export function judgeVariables(
  project: Project,
  menus: Diagnostics,
  variables: Context["variables"],
): Finding[] {
  const { config, environment, found } = project;
  if (config === undefined || environment === undefined) {
    return [skipped("variable", "Which ones are needed is not known without an environment.")];
  }
  const chosen = entry(field(config.root, "environments"), environment.name)?.value;
  const shared = config.root.entries.filter(({ key }) => key.text !== "environments");
  const nodes = [chosen, ...shared.map(({ value }) => value)];
  const names = new Set(nodes.flatMap(namesIn));
  if (names.size === 0) return [ok("variable", `${environment.name} needs none.`)];
  const always = new Set(["service", "state"].flatMap((part) => namesIn(field(chosen, part))));
  const missed = new Diagnostics();
  for (const part of [found.environment, found.service, menus]) missed.addAll(part);
  const told = new Set(missed.sorted().map(({ message }) => message));
  return [...names].map((name) => {
    if (variables[name] !== undefined) return ok("variable", `${name} is set.`);
    return always.has(name) || told.has(unsetMessage(name))
      ? failed(
          "variable",
          `${name} is not set.`,
          `Set it before running ivrctl, for example: export ${name}=…`,
        )
      : skipped("variable", `${name} is not set, and nothing here uses it.`);
  });
}

function namesIn(node: Node | undefined): string[] {
  switch (node?.kind) {
    case undefined:
      return [];
    case "scalar":
      return variablesIn(node.text);
    case "list":
      return node.items.flatMap(namesIn);
    case "map":
      return node.entries.flatMap(({ value }) => namesIn(value));
  }
}

export interface Snapshot {
  readonly finding: Finding;
  readonly agents: Agents | undefined;
}

export function judgeSnapshot(root: string, { settings }: Project): Snapshot {
  const name = "snapshot";
  const found = new Diagnostics();
  const source = readSnapshot(root, found);
  const agents = source && readAgentList(source, found);
  const [fault] = found.sorted();
  if (fault !== undefined) {
    // Plan and apply ask the service, but the embedded one knows whom the snapshot names.
    const told = toldBy(name, fault);
    const finding: Finding = settings?.kind === "http" ? { ...told, status: "warning" } : told;
    return { finding, agents: undefined };
  }
  if (agents === undefined) {
    const missing = `There is no ${snapshotName}: without the service, no agent can be checked.`;
    return { finding: warning(name, missing, "ivrctl agents pull"), agents };
  }
  const age = agents.pulledAt === undefined ? "of unknown age" : ageOf(agents.pulledAt);
  const message = `${snapshotName} has ${count(agents.list.length, "agent")}, ${age}.`;
  return { finding: ok(name, message), agents };
}

/** Compiled with the agents at hand; `by` says whose list that is. */
export function judgeMenus(
  project: Project,
  agents: Agents | undefined,
  by: string,
): { readonly finding: Finding; readonly diagnostics: Diagnostics } {
  const { config, plugins, found } = project;
  const name = "menus";
  const diagnostics = new Diagnostics();
  if (config === undefined) {
    const finding = skipped(name, "Not looked at: the configuration cannot be read.");
    return { finding, diagnostics };
  }
  diagnostics.addAll(found.files);
  diagnostics.addAll(found.plugins);
  const rules = { plugins, notes: false, allMenus: false };
  const compiled = compileWith({ ...project, agents, rules });
  diagnostics.addAll(compiled.diagnostics);
  if (compiled.menus.length === 0 && !diagnostics.hasErrors) {
    const finding = warning(name, "There are no menus under ivrs/.", "Write one there.");
    return { finding, diagnostics };
  }
  // Variables are told one by one.
  const faults = diagnostics.sorted().filter(({ code }) => code !== "IVR403");
  const checked = agents === undefined ? "agents not checked" : `by ${by}`;
  const sound = `${count(compiled.menus.length, "menu")}, no errors (${checked}).`;
  return { finding: countedOf(name, faults, sound, "`ivrctl validate` shows all."), diagnostics };
}
