import { groupBy } from "../util/group-by.ts";
import { type CallDestination, type CallMenu, type CallPath, pathsOf } from "../model/call-menu.ts";

/** A menu of a page or a picture. Without `call`, its paths are unknown. */
interface Menu {
  readonly call?: CallMenu | undefined;
}

/** The menus in which a call that begins in a menu can continue, itself included, the nearest first. */
export function reachedFrom<M extends Menu>(first: M, menuOf: (key: string) => M | undefined): M[] {
  const reached = new Set([first]);
  // A set grows while it is read.
  for (const menu of reached) {
    for (const { destination } of pathsIn(menu)) {
      const next = destination.kind === "menu" ? menuOf(destination.key) : undefined;
      if (next) reached.add(next);
    }
  }
  return [...reached];
}

/** An agent whom callers reach, or a name that means no agent who can get calls. */
type Person = Exclude<CallDestination, { kind: "menu" | "other" } | { key: string }>;

/** A path of a menu that reaches a person. */
export interface PersonUse<M> {
  readonly menu: M;
  readonly path: CallPath;
  readonly person: Person;
}

/** Where people are reached, by person: each key, and wrong keys and silence. */
export function peopleIn<M extends Menu>(menus: readonly M[]): [PersonUse<M>, ...PersonUse<M>[]][] {
  const uses = menus.flatMap((menu) =>
    pathsIn(menu).flatMap((path) => {
      const { destination: person } = path;
      return isPerson(person) ? [{ menu, path, person }] : [];
    }),
  );
  const idOf = ({ person }: PersonUse<M>) =>
    person.kind === "agent" ? person.eid : `? ${person.name}`;
  return [...groupBy(uses, idOf).values()];
}

function isPerson(destination: CallDestination): destination is Person {
  return (
    destination.kind === "agent" || (destination.kind === "unreachable" && !("key" in destination))
  );
}

function pathsIn({ call }: Menu): CallPath[] {
  return call ? pathsOf(call) : [];
}
