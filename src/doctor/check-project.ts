import { type Node, entry, field, scalarsIn } from "../yaml/node.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { unsetMessage, variablesIn } from "../project/variables.ts";
import { nodeRange } from "../util/version.ts";
import { type Argv, suggest } from "../util/suggest.ts";
import { many } from "../util/many.ts";
import type { Finding } from "../views/doctor.ts";
import type { Examined } from "./examine.ts";
import { type Check, failed, findingOf, ok, skipped, summaryOf, warning } from "./finding.ts";

/** The checks of Node, the configuration and the environment. */
export const settingsChecks: readonly Check[] = [
  ({ project }) => checkNode(project.host.machine.nodeVersion, nodeRange),
  checkConfiguration,
  checkEnvironment,
  checkVariables,
];

/** The checks of the agent list and the menus. */
export const menuChecks: readonly Check[] = [checkSnapshot, checkMenus];

/** Checks the version of Node. `range` is the one in package.json: `>=20.19`. */
export function checkNode(version: string, range: string): Finding {
  const least = range.replace(/^>=/, "");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) {
    return ok("node", `Node ${version}.`);
  }
  return failed(
    "node",
    `Node ${version} is older than ${least}, which ivrctl needs.`,
    `Install Node ${least} or later.`,
  );
}

function checkConfiguration({ project: { config, environment, found } }: Examined): Finding {
  const own = new Diagnostics();
  own.addAll(found.config);
  if (config === undefined) own.addAll(found.files);
  if (environment !== undefined) own.addAll(found.environment);
  const file = config?.source.file ?? "";
  return summaryOf("configuration", own, `${file} is valid.`, validateCommand(environment?.name));
}

function checkEnvironment({ project: { config, environment, found } }: Examined): Finding {
  if (environment !== undefined) return ok("environment", `${environment.name}.`);
  const [problem] = found.environment.sorted();
  if (problem !== undefined) return findingOf("environment", problem);
  const why = config === undefined ? "cannot be read" : "defines none";
  return skipped("environment", `Unknown: the configuration ${why}.`);
}

/** Checks every variable that the environment uses. It never shows a value. */
function checkVariables({ project, problems, menus }: Examined): Finding | Finding[] {
  const { config, environment, found, host } = project;
  if (config === undefined || environment === undefined) {
    return skipped("variable", "Not checked: no environment is chosen.");
  }
  const chosen = entry(field(config.root, "environments"), environment.name)?.value;
  const shared = config.root.entries.filter(({ key }) => key.text !== "environments");
  const nodes = [chosen, ...shared.map(({ value }) => value)];
  const names = new Set(nodes.flatMap(namesIn));
  if (names.size === 0) return ok("variable", `${environment.name} uses no variables.`);
  const always = new Set(["service", "state"].flatMap((part) => namesIn(field(chosen, part))));
  const missing = new Diagnostics();
  for (const part of [found.environment, problems.service, menus.diagnostics]) {
    missing.addAll(part);
  }
  const messages = new Set(missing.sorted().map(({ message }) => message));
  return [...names].map((name) => {
    const help = `Set it before you run ivrctl, for example: export ${name}=…`;
    if (host.env[name] === "") return warning("variable", `${name} is empty.`, help);
    if (host.env[name] !== undefined) return ok("variable", `${name} is set.`);
    return always.has(name) || messages.has(unsetMessage(name))
      ? failed("variable", `${name} is not set.`, help)
      : skipped("variable", `${name} is not set. Nothing here uses it.`);
  });
}

function namesIn(node: Node | undefined): string[] {
  return node === undefined ? [] : scalarsIn(node).flatMap(({ text }) => variablesIn(text));
}

function checkSnapshot({ project, endpoint, snapshot }: Examined): Finding {
  const { agents, file, problem } = snapshot;
  const name = "snapshot";
  if (problem !== undefined) {
    // Plan and apply ask a real service for its agents. Only the sandbox depends on this file.
    const finding = findingOf(name, problem);
    return endpoint?.settings.kind === "http" ? { ...finding, status: "warning" } : finding;
  }
  if (agents === undefined) {
    const missing = `There is no ${file}. Without it, only the service can check agents.`;
    return warning(name, missing, {
      words: "Create it:",
      argv: suggest("agents pull", [], project.environment?.name),
    });
  }
  const { pulledAt, environment } = agents.origin;
  const from = environment === undefined ? "" : ` from ${environment}`;
  const date = pulledAt?.toISOString().slice(0, 10);
  const pulled = date === undefined ? "" : `, pulled${from} on ${date}`;
  return ok(name, `${file} has ${many(agents.list.length, "agent")}${pulled}.`);
}

function checkMenus({ project, menus, agents, snapshot }: Examined): Finding {
  const name = "menus";
  const { diagnostics } = menus;
  if (project.config === undefined) {
    return skipped(name, "Not checked: the configuration cannot be read.");
  }
  if (menus.count === 0 && !diagnostics.hasErrors) {
    return warning(name, "There are no menus under ivrs/.", "Add a menu file there.");
  }
  const withSnapshot = snapshot.agents ? `checked against ${snapshot.file}` : "agents not checked";
  const checked = agents ? "checked against the service's agents" : withSnapshot;
  return summaryOf(
    name,
    diagnostics,
    `${many(menus.count, "menu")}, no errors (${checked}).`,
    validateCommand(project.environment?.name, agents ? ["--live"] : []),
  );
}

/** The command that shows the problems of the same environment, with the same agents. */
function validateCommand(environment: string | undefined, flags: Argv = []): Argv {
  return suggest("validate", [], environment, environment === undefined ? [] : flags);
}
