import type { Agents } from "../compile/agents.ts";
import type { PhoneNumber, UnreadableRecord } from "../deploy/service/service.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { phoneText } from "../util/phone.ts";
import { showJson } from "./diagnostics/index.ts";
import { type Audience, visible } from "./terminal.ts";
import { table } from "./text.ts";

/** The phone numbers of an account, and what is needed to name their destinations. */
export interface AccountNumbers {
  readonly numbers: readonly PhoneNumber[];
  readonly unreadable: readonly UnreadableRecord[];
  /** The names of all menus of the account by id. */
  readonly menus: Names;
  readonly agents: Agents | undefined;
}

/** Prints the numbers, or the problems that prevented it. */
export async function showNumbers(
  found: AccountNumbers | undefined,
  environment: string | null,
  diagnostics: readonly Diagnostic[],
  { format, terminal }: Audience,
): Promise<void> {
  const menus: Names = found?.menus ?? new Map();
  const numbers = (found?.numbers ?? []).map(({ id, number, name, destination }) => {
    const menu = menuOf(destination, menus);
    return { id, number, name, destination, menu };
  });
  const unreadable = found?.unreadable ?? [];
  const content = { environment, numbers, unreadable };
  if (await showJson(content, diagnostics, { format, terminal })) return;
  if (found === undefined) return;
  if (numbers.length === 0) terminal.say("The account has no phone numbers.\n");
  else {
    const rows = numbers.map((number) => [
      phoneText(number.number),
      number.name ?? "-",
      leadsTo(number, menus, found.agents),
    ]);
    const head = ["NUMBER", "NAME", "LEADS TO"];
    terminal.out(
      table(
        head,
        rows.map((row) => row.map(visible)),
        terminal.outColumns,
      ),
    );
  }
  for (const { id, name, problem } of unreadable) {
    const which = name ?? id ?? "A record";
    terminal.say(visible(`${which} of the list cannot be read: ${problem}.`) + "\n");
  }
}

type Names = ReadonlyMap<string, string>;

/** The menu that a number leads to; null if it leads to something else or the menu does not exist. */
function menuOf(destination: string | null, menus: Names) {
  const { kind, id } = partsOf(destination ?? "");
  const name = menus.get(id);
  return kind === "ivr" && name !== undefined ? { id, name } : null;
}

function leadsTo({ destination }: PhoneNumber, menus: Names, agents: Agents | undefined): string {
  if (destination === null) return "nothing";
  const { kind, id } = partsOf(destination);
  switch (kind) {
    case "ivr": {
      const name = menus.get(id);
      return name === undefined ? `menu ${id}, which does not exist` : `menu “${name}” (${id})`;
    }
    case "extension":
    case "agent": {
      const name = agents?.with("eid", id)[0]?.name;
      return name === undefined ? `extension ${id}` : `${name} (extension ${id})`;
    }
    case "hangup":
      return "the end of the call";
    case "":
      return destination;
    default:
      return `${kind} ${id}`;
  }
}

function partsOf(destination: string): { readonly kind: string; readonly id: string } {
  const at = destination.indexOf("||");
  if (at === -1) return { kind: "", id: "" };
  return { kind: destination.slice(0, at), id: destination.slice(at + 2) };
}
