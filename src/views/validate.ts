import { describeAge } from "../util/time.ts";
import { suggest } from "../util/suggest.ts";
import type { Page } from "./terminal.ts";
import { wrap } from "./text.ts";

export function uncheckedText(
  environment: string | undefined,
  { wordWrap, command }: Page,
): string {
  const words =
    "Agents were not checked, because there is no agent list. Use --agents FILE, or run:";
  return `${wrap(words, "", wordWrap)}\n  ${command(suggest("agents pull", [], environment))}\n`;
}

interface Valid {
  readonly menus: readonly unknown[];
  readonly environment: { readonly name: string } | undefined;
  readonly agents: { readonly origin: { readonly pulledAt?: Date | undefined } } | undefined;
}

export function validText(
  { menus, environment, agents }: Valid,
  now: Date,
  { wordWrap }: Page,
): string {
  const count = menus.length === 1 ? "1 menu is valid" : `${menus.length} menus are valid`;
  const pulledAt = agents?.origin.pulledAt;
  const list = pulledAt === undefined ? "" : `, with the agent list ${describeAge(pulledAt, now)}`;
  const words = `${count} for the environment ${environment?.name ?? "?"}${list}.`;
  return `${wrap(words, "", wordWrap)}\n`;
}
