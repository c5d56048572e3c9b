import type { AgentListOrigin, Named } from "../schema/agent.ts";
import { digits } from "../schema/field-types.ts";
import { groupBy } from "../util/group-by.ts";
import { type Agents, normalName } from "./agent-list.ts";
import { type Alias, type Environment, type ListedNames, aliasById } from "./environment.ts";

/** What is compiled again with the same environment is reused, so that stays the same too. */
const completed = new WeakMap<Environment, { agents: Agents | undefined; result: Environment }>();

/**
 * The environment with the service's names as aliases, and with the ids of aliases that have only a name. The
 * names are those that `ivrctl agents pull` saved.
 */
export function withListedNames(environment: Environment, agents: Agents | undefined): Environment {
  if (environment.listed !== undefined) return environment;
  const known = completed.get(environment);
  if (known && known.agents === agents) return known.result;
  const result = complete(environment, agents?.origin ?? {});
  completed.set(environment, { agents, result });
  return result;
}

function complete(environment: Environment, origin: AgentListOrigin): Environment {
  const listed = {
    recordings: idsByName(origin.recordings),
    departments: idsByName(origin.departments),
  };
  const recordings = new Map(
    [...environment.recordings].map(([alias, own]): [string, Alias] => {
      const id = own.named === undefined ? own.id : onlyId(listed.recordings, own.named);
      return [alias, { ...own, id }];
    }),
  );
  for (const [name, id] of usableNames(listed.recordings)) {
    if (!recordings.has(name)) recordings.set(name, { id });
  }
  const destinations = new Map(environment.destinations);
  for (const [name, id] of usableNames(listed.departments)) {
    if (!destinations.has(name)) destinations.set(name, { kind: "department", id });
  }
  return {
    ...environment,
    recordings,
    destinations,
    listed,
    recordingAliases: aliasById(recordings),
    destinationAliases: aliasById(destinations),
  };
}

/** The ids that have a name. Names need not be unique. */
export function idsNamed(names: ListedNames, name: string): readonly string[] {
  return names.get(normalName(name)) ?? [];
}

function idsByName(list: readonly Named[] = []): ListedNames {
  const groups = groupBy(list, ({ name }) => normalName(name));
  return new Map([...groups].map(([name, all]) => [name, [...new Set(all.map(({ id }) => id))]]));
}

function onlyId(names: ListedNames, name: string): string | undefined {
  const [id, ...others] = idsNamed(names, name);
  return others.length === 0 ? id : undefined;
}

/** The names that can stand for an id in a file. Digits alone are an id. */
function usableNames(names: ListedNames): [name: string, id: string][] {
  return [...names.keys()].flatMap((name) => {
    const id = onlyId(names, name);
    return id === undefined || name === "" || digits.test(name) ? [] : [[name, id]];
  });
}
