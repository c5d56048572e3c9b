import { readAgentList } from "../../compile/read/agent-list.ts";
import { readConfigFile, readNamed, readProject, readSnapshot } from "../../compile/read/files.ts";
import { type Node, field, textField } from "../../compile/read/node.ts";
import { readYaml } from "../../compile/read/yaml.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Completes } from "../command.ts";

/** What the words before say about where to look. */
export interface Place {
  readonly root: string;
  readonly config: string | undefined;
  readonly environment: string | undefined;
  readonly agents: string | undefined;
}

/** Nothing is judged here: what can be read is offered. */
export async function namesFor(
  what: Extract<Completes, string>,
  place: Place,
): Promise<readonly string[]> {
  switch (what) {
    case "environment":
      return environments(place);
    case "code":
      return Object.keys((await import("../../diagnostics/codes.ts")).severities);
    case "key":
      return [...menuKeys(place), ...(await recordedKeys(place))].sort();
    case "recorded key":
      return (await recordedKeys(place)).toSorted();
    case "agent":
      return agentsOf(place).map(({ name }) => name);
    case "team":
      return agentsOf(place).flatMap(({ team }) => team ?? []);
    case "department":
      return agentsOf(place).flatMap(({ departments }) => departments);
  }
}

function configOf({ root, config }: Place): Node | undefined {
  const unread = new Diagnostics();
  const source = readConfigFile(root, config, unread);
  return source && readYaml(source, unread)[0]?.root;
}

function environments(place: Place): string[] {
  const all = field(configOf(place), "environments");
  return all?.kind === "map" ? all.entries.map(({ key }) => key.text) : [];
}

/** By the files' names; a line `id:` at the margin goes before, and is found without reading YAML. */
function menuKeys({ root, config }: Place): string[] {
  return readProject(root, config, new Diagnostics()).menus.flatMap(({ file, text }) => {
    const ids = [...text.matchAll(/^id:[ \t]*["']?([\w./-]+)/gm)].flatMap(([, id]) => id ?? []);
    return ids.length > 0 ? ids : [file.replace(/^ivrs\/|\.yaml$/g, "")];
  });
}

async function recordedKeys(place: Place): Promise<string[]> {
  const environment = place.environment ?? textField(configOf(place), "default_environment");
  if (environment === undefined || !environments(place).includes(environment)) return [];
  const chosen = field(field(configOf(place), "environments"), environment);
  // A database is not asked while somebody types.
  if ((textField(field(chosen, "state"), "backend") ?? "file") !== "file") return [];
  const { fileStore } = await import("../stores.ts");
  const { readState } = await import("../state-access.ts");
  const state = await readState(fileStore(place.root, environment), new Diagnostics());
  return [...(state?.keys.keys() ?? [])];
}

function agentsOf({ root, agents }: Place) {
  const unread = new Diagnostics();
  const source =
    agents === undefined
      ? readSnapshot(root, unread)
      : readNamed(root, agents, "agentList", unread);
  return (source && readAgentList(source, unread)?.list) ?? [];
}
