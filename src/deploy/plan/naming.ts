import { placeOf } from "../../call/words.ts";
import type { Agents } from "../../compile/agents.ts";
import type { Reached, ResolvedMenu } from "../../compile/menu.ts";
import type { Naming } from "../../schema/state.ts";
import type { Payload } from "../../schema/wire.ts";

/** What a menu's file calls the ids in its payload. */
export function namingOf(menu: ResolvedMenu): Naming {
  const { recording, options = [], invalid, timeout, extra } = menu;
  const destinations: [string, Reached | undefined][] = [
    ...options.map(({ key, destination }): [string, Reached | undefined] => [
      placeOf(key),
      destination,
    ]),
    ["invalid", invalid.destination],
    ["timeout", timeout.destination],
  ];
  const recordings = [
    recording,
    invalid.recording,
    timeout.retryRecording,
    timeout.recording,
    extra.recordingInvalid,
  ];
  return {
    agents: destinations
      .flatMap(([place, destination]) =>
        destination?.kind !== "extension"
          ? []
          : {
              place,
              eid: destination.eid,
              name: destination.agent.name,
              reference: destination.reference,
            },
      )
      .sort(byPlace),
    recordings: Object.fromEntries(
      recordings.flatMap((own) =>
        own?.value.alias === undefined ? [] : [[own.value.id, own.value.alias]],
      ),
    ),
    purposes: Object.fromEntries(
      options.flatMap((option) =>
        option.for === undefined ? [] : [[option.key, option.for.value]],
      ),
    ),
  };
}

/** What an agent list calls the ids in a payload that no file stands behind. */
export function namingOfPayload(payload: Payload, agents: Agents | undefined): Naming {
  const destinations = [
    ...payload.destination.map((text, at): [string, string] => [
      placeOf(String(payload.option[at])),
      text,
    ]),
    ["invalid", payload.invalid_destination] as const,
    ["timeout", payload.timeout_destination] as const,
  ];
  return {
    agents: destinations
      .flatMap(([place, text]) => {
        const eid = /^extension\|\|(.+)$/s.exec(text)?.[1];
        if (eid === undefined) return [];
        const name = agents?.with("eid", eid)[0]?.name ?? nameless(eid);
        return { place, eid, name, reference: { eid } };
      })
      .sort(byPlace),
    recordings: {},
    purposes: {},
  };
}

/** Keys first; their order in the menu is no part of what anyone is called. */
function byPlace(a: { readonly place: string }, b: { readonly place: string }): number {
  const rank = ({ place }: { readonly place: string }) => Number(!place.startsWith(placeOf("")));
  return rank(a) - rank(b) || (a.place < b.place ? -1 : 1);
}

/** What somebody is called whose name was not known when the payload was bound. */
export function nameless(eid: string): string {
  return `extension ${eid}`;
}
