import { keyPlace } from "../../call/words.ts";
import type { Agents } from "../../compile/agents.ts";
import {
  type CompiledMenu,
  type ResolvedDestination,
  type ResolvedMenu,
  menuRecordings,
} from "../../compile/menu.ts";
import type { Naming } from "../../schema/state.ts";
import { menuIdIn, menuReference } from "../../schema/wire.ts";
import { type Difference, payloadDigest } from "./digest.ts";
import type { MenuContent } from "../../schema/plan.ts";
import type { StateView } from "../state/state.ts";

/** The content of a compiled menu, with the names that its file uses for the ids in the payload. */
export function compiledContent({ payload, menu }: CompiledMenu): MenuContent {
  return { payload, digest: payloadDigest(payload), naming: namingOf(menu) };
}

/** The names that a menu's file uses for the ids in its payload. */
function namingOf(menu: ResolvedMenu): Naming {
  const { options = [], facts, numbers } = menu;
  const destinations: { readonly place: string; readonly to: ResolvedDestination | undefined }[] = [
    ...options.map(({ key, destination }) => ({ place: keyPlace(key), to: destination })),
    { place: "invalid", to: facts["invalid.destination"] },
    { place: "timeout", to: facts["timeout.destination"] },
  ];
  return {
    agents: destinations
      .flatMap(({ place, to }) =>
        to?.kind === "extension"
          ? { place, eid: to.eid, name: to.agent.name, reference: to.reference }
          : [],
      )
      .sort(byPlace),
    recordings: Object.fromEntries(
      menuRecordings(menu).flatMap(({ value: { id, alias } }) =>
        alias === undefined ? [] : [[id, alias]],
      ),
    ),
    purposes: Object.fromEntries(
      options.flatMap((option) =>
        option.for === undefined ? [] : [[option.key, option.for.value]],
      ),
    ),
    ...(numbers.length === 0 ? {} : { numbers: numbers.map(({ value }) => value) }),
  };
}

/** The names in a menu that was changed on the console: its own, and those of what was changed. */
export function withConsoleNames(
  naming: Naming,
  differences: readonly Difference[],
  agents: Agents | undefined,
  { keys }: StateView,
): Naming {
  const used = new Set(differences.map(({ after }) => menuIdIn(after ?? "")));
  const menus = [...keys].flatMap(([key, { current }]) => {
    const id = current?.identified?.id;
    return id !== undefined && used.has(id) ? [[id, key]] : [];
  });
  const found = differences.flatMap(({ field, after }) => {
    const eid = /^extension\|\|(.+)$/s.exec(after ?? "")?.[1];
    const name = eid === undefined ? undefined : agents?.with("eid", eid)[0]?.name;
    return eid === undefined || name === undefined
      ? []
      : { place: field, eid, name, reference: { agent: name } };
  });
  return {
    ...naming,
    agents: [...found, ...naming.agents],
    menus: { ...naming.menus, ...Object.fromEntries(menus) },
  };
}

/** A destination with the key of its menu instead of the id, which changes with every replacement. */
export function namedDestination(destination: string, { menus }: Naming): string {
  const key = menus?.[menuIdIn(destination) ?? ""];
  return key === undefined ? destination : menuReference(key);
}

/** Sorts keys before `invalid` and `timeout`, so that the order in the file does not matter. */
function byPlace(a: { readonly place: string }, b: { readonly place: string }): number {
  const rank = ({ place }: { readonly place: string }) => Number(!place.startsWith(keyPlace("")));
  return rank(a) - rank(b) || (a.place < b.place ? -1 : 1);
}

/** The name of an agent whose name was unknown when the payload was made. */
export function extensionName(eid: string): string {
  return `extension ${eid}`;
}
