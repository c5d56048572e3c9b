import type { BoundMenu, Destination } from "../../compile/menu.ts";
import {
  type Trigger,
  agentWords,
  onKey,
  onSilence,
  onWrongKey,
  recordingWords,
} from "../words.ts";
import { type Branch, type Drawn, type Picture, type Place, pictureOf } from "./picture.ts";

/** A menu of the project; without `bound`, nobody can say where its ways lead. */
export interface GraphMenu {
  readonly key: string;
  readonly name: string | undefined;
  readonly bound: BoundMenu | undefined;
}

/** One menu with all its ways. */
export function menuPicture(key: string, { bound }: { readonly bound: BoundMenu }): Picture {
  const { name, recording } = bound;
  const says = recording.says === undefined ? [] : [`“${recording.says}”`];
  const lines = [name, key, `plays ${recordingWords(recording)}`, ...says];
  return pictureOf(name, [{ menu: { lines, mark: undefined }, branches: branchesOf(bound) }]);
}

/** Many menus and the people they share: one way from a menu to each of them. */
export function overview(menus: readonly GraphMenu[]): Picture {
  const drawn = menus.map(({ key, name, bound }): Drawn => {
    const named = [...(name === undefined ? [] : [name]), key];
    return bound === undefined
      ? { menu: { lines: [...named, "at fault"], mark: "fault" }, branches: [] }
      : { menu: { lines: named, mark: undefined }, branches: joined(bound) };
  });
  return pictureOf(drawn.length === 1 ? "1 menu" : `${drawn.length} menus`, drawn);
}

function branchesOf({ options, invalid, timeout }: BoundMenu): Branch[] {
  const ways: [Trigger, Destination][] = [
    ...options.map((option): [Trigger, Destination] => [
      onKey(option.key, option.for),
      option.destination,
    ]),
    [onWrongKey(invalid.retries), invalid.destination],
    [onSilence(timeout.wait, timeout.retries), timeout.destination],
  ];
  return ways.map(([trigger, destination]) => ({ trigger, place: placeOf(destination) }));
}

/** Who is reached, each once, with everything that leads there; counts are for the menu's own picture. */
function joined({ options, invalid, timeout }: BoundMenu): Branch[] {
  const reached = new Map<string, { place: Place; keys: string[]; otherwise: string[] }>();
  const at = (destination: Destination) => {
    const place = placeOf(destination);
    const entry = reached.get(place.id) ?? { place, keys: [], otherwise: [] };
    reached.set(place.id, entry);
    return entry;
  };
  for (const { key, destination } of options) at(destination).keys.push(key);
  at(invalid.destination).otherwise.push("wrong key");
  at(timeout.destination).otherwise.push("silence");
  return [...reached.values()].map(({ place, keys, otherwise }) => ({
    trigger: { keys, purpose: undefined, otherwise },
    place,
  }));
}

function placeOf(destination: Destination): Place {
  if (destination.kind === "other") {
    const { name, id } = destination;
    return { id: `${name}||${id}`, lines: [`${name} ${id}`], mark: undefined };
  }
  const { eid, agent } = destination;
  return {
    id: `extension||${eid}`,
    lines: agentWords(agent),
    mark: agent.blocked ? "blocked" : undefined,
  };
}
