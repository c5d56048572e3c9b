import type { CallDestination, CallMenu } from "../call/model.ts";
import {
  type Trigger,
  agentWords,
  onKey,
  onSilence,
  onWrongKey,
  recordingName,
} from "../call/words.ts";
import { type Branch, type Drawn, type Picture, type Place, pictureOf } from "./picture.ts";

/** A menu of the project; without `menu`, nobody can say where its ways lead. */
export interface GraphMenu {
  readonly key: string;
  readonly name: string | undefined;
  readonly menu: CallMenu | undefined;
}

/** One menu with all its ways. */
export function menuPicture(menu: CallMenu): Picture {
  const { key, name, recording } = menu;
  const says = recording.says === undefined ? [] : [`“${recording.says}”`];
  const lines = [name, key, `plays ${recordingName(recording)}`, ...says];
  return pictureOf(name, [{ menu: { lines, mark: undefined }, branches: branchesOf(menu) }]);
}

/** Many menus and the people they share: one way from a menu to each of them. */
export function overview(menus: readonly GraphMenu[]): Picture {
  const drawn = menus.map(({ key, name, menu }): Drawn => {
    const named = [...(name === undefined ? [] : [name]), key];
    return menu === undefined
      ? { menu: { lines: [...named, "at fault"], mark: "fault" }, branches: [] }
      : { menu: { lines: named, mark: undefined }, branches: joined(menu) };
  });
  return pictureOf(drawn.length === 1 ? "1 menu" : `${drawn.length} menus`, drawn);
}

function branchesOf({ options, invalid, timeout }: CallMenu): Branch[] {
  const ways: [Trigger, CallDestination][] = [
    ...options.map((option): [Trigger, CallDestination] => [
      onKey(option.key, option.for),
      option.destination,
    ]),
    [onWrongKey(invalid.retries), invalid.destination],
    [onSilence(timeout.wait, timeout.retries), timeout.destination],
  ];
  return ways.map(([trigger, destination]) => ({ trigger, place: placeOf(destination) }));
}

/** Who is reached, each once, with all that leads there; how often is for the menu's own picture. */
function joined({ options, invalid, timeout }: CallMenu): Branch[] {
  const reached = new Map<string, { place: Place; keys: string[]; otherwise: string[] }>();
  const at = (destination: CallDestination) => {
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

function placeOf(destination: CallDestination): Place {
  switch (destination.kind) {
    case "agent":
      return {
        id: `extension||${destination.eid}`,
        lines: agentWords(destination),
        mark: destination.blocked ? "blocked" : undefined,
      };
    case "other": {
      const { name, id } = destination;
      return { id: `${name}||${id}`, lines: [`${name} ${id}`], mark: undefined };
    }
    case "nobody": {
      const { name, why } = destination;
      return { id: `nobody ${why} ${name}`, lines: [name, missing[why]], mark: "fault" };
    }
  }
}

const missing = {
  "not-listed": "not on the agent list",
  several: "several on the agent list",
  "no-extension": "without an extension",
} as const;
