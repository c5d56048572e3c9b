import type { Confirmed } from "../../schema/state.ts";
import { type Hint, commandText, suggest, suggestId } from "../../util/suggest.ts";
import type { LiveMenus } from "./live.ts";

/** Why a menu on record cannot be compared with the service, and what to do about it. */
export interface Strange {
  readonly why: string;
  readonly help: Hint;
}

/** Returns why a menu cannot be compared with the list. Undefined if it can be, or is missing. */
export function strangeIn(
  live: LiveMenus,
  key: string,
  { identified, payload }: Confirmed,
  environment: string,
): Strange | undefined {
  if (identified !== undefined) {
    const seen = live.see(identified.id, payload);
    if (seen.kind !== "unreadable") return undefined;
    return {
      why: `ivrctl does not understand its record in the list (${seen.problem})`,
      help: "Correct that record on the console. Or set `on_change: replace`, to create a new menu.",
    };
  }
  const ids = live.named(payload.name);
  const [id = "ID", ...others] = ids;
  const setId = (word: string) => suggestId([`${key}=${word}`], environment);
  const remove = suggest("state rm", [key], environment);
  const inWords = `\`${commandText(remove)}\``;
  const ifGone = "If the console does not show it any more, delete its record and apply again";
  const noId = "its id is not on record, and the service lists";
  if (ids.length === 0) {
    return {
      why: `${noId} no menu with its name`,
      help: {
        words: `If it has another name now, record its id with \`${commandText(setId("ID"))}\`. ${ifGone}:`,
        argv: remove,
      },
    };
  }
  return others.length === 0
    ? {
        why: `${noId} menu ${id} with its name, but with other content`,
        help: {
          words: `${ifGone} (${inWords}). If menu ${id} is this menu, record its id:`,
          argv: setId(id),
        },
      }
    : {
        why: `${noId} the menus ${ids.join(", ")} with its name, and they do not show which one it is`,
        help: {
          words: `${ifGone} (${inWords}). If one of them is this menu, record its id:`,
          argv: setId("ID"),
        },
      };
}
