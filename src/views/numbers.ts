import type { Agents } from "../compile/agents.ts";
import type { PhoneNumber, UnreadableRecord } from "../deploy/service/service.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { phoneText } from "../util/phone.ts";
import { agentIn, reachedWords } from "../deploy/plan/live-numbers.ts";
import { menuIdIn } from "../schema/wire.ts";
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
      leadsTo(number.destination, menus, found.agents),
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
  const id = menuIdIn(destination ?? "");
  const name = id === undefined ? undefined : menus.get(id);
  return id === undefined || name === undefined ? null : { id, name };
}

function leadsTo(destination: string | null, menus: Names, agents: Agents | undefined): string {
  const eid = agentIn(destination ?? "");
  const agent = eid === undefined ? undefined : agents?.with("eid", eid)[0]?.name;
  return reachedWords(destination, { name: agent ?? menuOf(destination, menus)?.name ?? null });
}
