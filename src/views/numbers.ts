import type { Agents } from "../compile/agents.ts";
import type { LiveNumbers, LiveMenus } from "../deploy/plan/lists.ts";
import { phoneText } from "../util/phone.ts";
import { describeReached } from "../deploy/plan/names.ts";
import { menuIdIn } from "../schema/wire.ts";
import { type Page, visible } from "./terminal.ts";
import { table } from "./text.ts";

/** The phone numbers of an account, and what is needed to name their destinations. */
export interface AccountNumbers {
  readonly numbers: LiveNumbers;
  readonly live: LiveMenus;
  readonly agents: Agents;
}

/** The numbers for JSON. */
export function numbersJson(found: AccountNumbers | undefined): object {
  if (found === undefined) return { numbers: [], unreadable: [] };
  const names = menuNames(found);
  const numbers = found.numbers.numbers.map(({ id, number, name, destination }) => {
    const menu = menuOf(destination, names);
    return { id, number, name, destination, menu };
  });
  return { numbers, unreadable: found.numbers.unreadable };
}

/** A table of the numbers. Empty if there are none. */
export function numbersText(found: AccountNumbers, { wordWrap }: Page): string {
  const names = menuNames(found);
  const rows = found.numbers.numbers.map(({ number, name, destination }) => {
    const reached = describeReached(destination, menuOf(destination, names)?.name, found.agents);
    return [phoneText(number), name ?? "-", reached].map(visible);
  });
  return rows.length === 0 ? "" : table(["NUMBER", "NAME", "POINTS TO"], rows, wordWrap);
}

/** What the table does not show. */
export function numbersNotes({ numbers: { numbers, unreadable } }: AccountNumbers): string {
  const none = numbers.length === 0 ? "The account has no phone numbers.\n" : "";
  const lines = unreadable.map(({ id, name, problem }) => {
    const which = name ?? id ?? "A record";
    return `${visible(`${which} of the list cannot be read: ${problem}.`)}\n`;
  });
  return none + lines.join("");
}

type Names = ReadonlyMap<string, string>;

/** The names of all menus of the account by id. */
function menuNames({ live: { menus, unreadable } }: AccountNumbers): Names {
  return new Map(
    [...menus, ...unreadable].flatMap(({ id, name }): [string, string][] =>
      id === null ? [] : [[id, name ?? "without a name"]],
    ),
  );
}

/** The menu that a number points to; null if it points to something else or the menu does not exist. */
function menuOf(destination: string | null, menus: Names) {
  const id = menuIdIn(destination ?? "");
  const name = id === undefined ? undefined : menus.get(id);
  return id === undefined || name === undefined ? null : { id, name };
}
