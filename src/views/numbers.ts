import type { Agents } from "../compile/agents.ts";
import type { PhoneNumber, UnreadableRecord } from "../deploy/service/service.ts";
import { phoneText } from "../util/phone.ts";
import { describeReached } from "../deploy/plan/reachable.ts";
import { menuIdIn } from "../schema/wire.ts";
import { type Page, visible } from "./terminal.ts";
import { table } from "./text.ts";

/** The phone numbers of an account, and what is needed to name their destinations. */
export interface AccountNumbers {
  readonly numbers: readonly PhoneNumber[];
  readonly unreadable: readonly UnreadableRecord[];
  /** The names of all menus of the account by id. */
  readonly menus: Names;
  readonly agents: Agents | undefined;
}

/** The numbers for JSON. */
export function numbersJson(found: AccountNumbers | undefined): object {
  const menus: Names = found?.menus ?? new Map();
  const numbers = (found?.numbers ?? []).map(({ id, number, name, destination }) => {
    const menu = menuOf(destination, menus);
    return { id, number, name, destination, menu };
  });
  return { numbers, unreadable: found?.unreadable ?? [] };
}

/** A table of the numbers. Empty if there are none. */
export function numbersText(
  { numbers, menus, agents }: AccountNumbers,
  { wordWrap }: Page,
): string {
  const rows = numbers.map(({ number, name, destination }) =>
    [phoneText(number), name ?? "-", reachedText(destination, menus, agents)].map(visible),
  );
  return rows.length === 0 ? "" : table(["NUMBER", "NAME", "POINTS TO"], rows, wordWrap);
}

/** What the table does not show. */
export function numbersNotes({ numbers, unreadable }: AccountNumbers): string {
  const none = numbers.length === 0 ? "The account has no phone numbers.\n" : "";
  const lines = unreadable.map(({ id, name, problem }) => {
    const which = name ?? id ?? "A record";
    return `${visible(`${which} of the list cannot be read: ${problem}.`)}\n`;
  });
  return none + lines.join("");
}

type Names = ReadonlyMap<string, string>;

/** The menu that a number points to; null if it points to something else or the menu does not exist. */
function menuOf(destination: string | null, menus: Names) {
  const id = menuIdIn(destination ?? "");
  const name = id === undefined ? undefined : menus.get(id);
  return id === undefined || name === undefined ? null : { id, name };
}

function reachedText(destination: string | null, menus: Names, agents: Agents | undefined): string {
  return describeReached(destination, menuOf(destination, menus)?.name, agents);
}
