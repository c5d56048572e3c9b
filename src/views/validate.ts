import { ageOf } from "../util/age.ts";
import { suggest } from "../util/suggest.ts";
import type { Audience, Terminal } from "./terminal.ts";
import { wrap } from "./text.ts";

export function sayUnchecked(environment: string | undefined, terminal: Terminal): void {
  const words =
    "Agents were not checked, because there is no agent list. Use --agents FILE, or run:";
  terminal.say(
    `${wrap(words, "", terminal.wordWrap)}\n  ${suggest("agents pull", [], environment)}\n`,
  );
}

interface Valid {
  readonly menus: readonly unknown[];
  readonly environment: { readonly name: string } | undefined;
  readonly agents: { readonly origin: { readonly pulledAt?: Date | undefined } } | undefined;
}

export function sayValid(
  { menus, environment, agents }: Valid,
  { host, terminal }: Pick<Audience, "host" | "terminal">,
): void {
  const count = menus.length === 1 ? "1 menu is valid" : `${menus.length} menus are valid`;
  const pulledAt = agents?.origin.pulledAt;
  const list =
    pulledAt === undefined ? "" : `, with the agent list ${ageOf(pulledAt, host.clock.now())}`;
  const words = `${count} for the environment ${environment?.name ?? "?"}${list}.`;
  terminal.out(`${wrap(words, "", terminal.outColumns)}\n`);
}
