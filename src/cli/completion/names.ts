import { readAgentsFile, readSnapshot } from "../../project/agents-lock.ts";
import { readConfigFile, readProject } from "../../project/files.ts";
import { type Node, field, textField } from "../../yaml/node.ts";
import { readYaml } from "../../yaml/read-yaml.ts";
import type { StateView } from "../../deploy/state/state.ts";
import { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Completes } from "../command.ts";

/** The project to look in, according to the options typed so far. */
export interface Place {
  readonly root: string;
  readonly environment: string | undefined;
  readonly agents: string | undefined;
}

/** Returns the names of a kind. Suggests everything that can be read, without validation. */
export async function namesFor(
  what: Extract<Completes, string>,
  place: Place,
): Promise<readonly string[]> {
  switch (what) {
    case "environment":
      return environments(place);
    case "code":
      return (await import("../../diagnostics/texts.ts")).allEntries().map(({ code }) => code);
    case "key":
      return [...menuKeys(place), ...recordedKeys(await stateOf(place))].toSorted();
    case "recorded key":
      return recordedKeys(await stateOf(place)).toSorted();
    case "follow-up":
      return [...((await stateOf(place))?.followUps.keys() ?? [])];
    case "agent":
      return agentsOf(place).map(({ name }) => name);
    case "team":
      return agentsOf(place).flatMap(({ team }) => team ?? []);
    case "department":
      return agentsOf(place).flatMap(({ departments }) => departments);
  }
}

function configOf({ root }: Place): Node | undefined {
  const unread = new Diagnostics();
  const source = readConfigFile(root, unread);
  return source && readYaml(source, unread)[0]?.root;
}

function environments(place: Place): string[] {
  const all = field(configOf(place), "environments");
  return all?.kind === "map" ? all.entries.map(({ key }) => key.text) : [];
}

/** Returns the names of the menu files, or their `id:` lines. Does not parse YAML. */
export function menuKeys({ root }: Place): string[] {
  return readProject(root, new Diagnostics()).menus.flatMap(({ file, text }) => {
    const ids = [...text.matchAll(/^id:[ \t]*["']?([\w./-]+)/gm)].flatMap(([, id]) => id ?? []);
    return ids.length > 0 ? ids : [file.replace(/^ivrs\/|\.yaml$/g, "")];
  });
}

function recordedKeys(state: StateView | undefined): string[] {
  return [...(state?.keys.keys() ?? [])];
}

/** The environment of the options or the configuration, if it exists. */
function environmentOf(place: Place): string | undefined {
  const named = place.environment ?? textField(configOf(place), "default_environment");
  return environments(place).find((name) => name === named);
}

async function stateOf(place: Place): Promise<StateView | undefined> {
  const environment = environmentOf(place);
  if (environment === undefined) return undefined;
  const chosen = field(field(configOf(place), "environments"), environment);
  // A database or an object store is too slow for completion.
  if ((textField(field(chosen, "state"), "backend") ?? "file") !== "file") return undefined;
  const { fileStore } = await import("../../deploy/state/open-store.ts");
  const { readState } = await import("../../deploy/state/access.ts");
  return readState(fileStore(place.root, environment), new Diagnostics());
}

function agentsOf(place: Place) {
  const { root, agents } = place;
  const unread = new Diagnostics();
  const list =
    agents === undefined
      ? readSnapshot(root, environmentOf(place), unread)
      : readAgentsFile(root, agents, undefined, unread);
  return list?.list ?? [];
}
