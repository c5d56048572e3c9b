import { ageOf } from "./age.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

export function sayUnchecked(terminal: Terminal): void {
  const words =
    "Agents are not checked: there is no agent list (--agents FILE, or agents.lock.json).";
  terminal.say(`${wrap(words, "", terminal.wordWrap)}\n`);
}

interface Valid {
  readonly menus: readonly unknown[];
  readonly environment: { readonly name: string } | undefined;
  readonly agents: { readonly pulledAt: Date | undefined } | undefined;
}

export function sayValid({ menus, environment, agents }: Valid, terminal: Terminal): void {
  const count = menus.length === 1 ? "1 menu is valid" : `${menus.length} menus are valid`;
  const list = agents?.pulledAt === undefined ? "" : `, with the agents ${ageOf(agents.pulledAt)}`;
  const words = `${count} for the environment ${environment?.name ?? "?"}${list}.`;
  terminal.out(`${wrap(words, "", terminal.outColumns)}\n`);
}
