import { suggest } from "../util/suggest.ts";
import type { Agent } from "../compile/agents.ts";
import {
  type AgentFinding,
  describeFinding,
  describePlace,
} from "../deploy/plan/agent-findings.ts";
import type { Drift, MenuContent } from "../deploy/plan/plan.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { showJson } from "./diagnostics/index.ts";
import type { StrayNumber } from "../deploy/plan/numbers.ts";
import { reachedWords } from "../deploy/plan/live-numbers.ts";
import { menuDestination } from "../schema/wire.ts";
import { groupBy } from "../util/group-by.ts";
import { phoneText } from "../util/phone.ts";
import { driftParts } from "./plan/on-service.ts";
import { type Audience, type Terminal, visible } from "./terminal.ts";
import { wrap } from "./text.ts";
import { many } from "../util/many.ts";

/** The problems of one menu. */
export interface MenuFindings {
  readonly key: string;
  readonly name: string;
  readonly items: readonly {
    readonly finding: AgentFinding;
    /** The agent who has the extension now. */
    readonly now: Pick<Agent, "name" | "eid"> | null;
  }[];
}

export type Checked =
  | { readonly kind: "no-state" }
  | {
      readonly kind: "checked";
      /** The number of menus with a confirmed record. */
      readonly menus: number;
      /** The keys whose outcome is unknown. */
      readonly unknown: readonly string[];
      readonly findings: readonly MenuFindings[];
      /** How many menus cannot be compared with the service. The diagnostics say why. */
      readonly uncompared: number;
      /** Menus that differ from their records, or are gone. Undefined if the service cannot list menus. */
      readonly onService: readonly ServiceFinding[] | undefined;
      /** Phone numbers that lead elsewhere. Undefined if the service cannot list phone numbers. */
      readonly numbers: readonly StrayNumber[] | undefined;
    };

/** A menu that the service shows with other content than on record, or not at all. */
export interface ServiceFinding {
  readonly key: string;
  readonly name: string;
  readonly id: string;
  readonly record: Pick<MenuContent, "naming">;
  /** Undefined if the menu is gone. */
  readonly drift: Drift | undefined;
}

interface Shown {
  readonly environment: string | null;
  /** Undefined if it could not be checked. */
  readonly checked: Checked | undefined;
}

/** Prints the result of `check`. */
export async function showChecked(
  { environment, checked }: Shown,
  diagnostics: readonly Diagnostic[],
  audience: Audience,
): Promise<void> {
  const { globals, terminal } = audience;
  const all = checked?.kind === "checked" ? checked : { menus: 0, findings: [] };
  const plain = all.findings.flatMap(findingsJson);
  const onService = checked?.kind === "checked" ? checked.onService : undefined;
  const numbers = checked?.kind === "checked" ? checked.numbers : undefined;
  const summary = {
    menus: all.menus,
    findings: plain.length,
    ...serviceCounts(onService),
    ...(numbers && { numbers: numbers.length }),
  };
  const content = {
    environment,
    summary,
    findings: plain,
    ...serviceJson(onService),
    ...(numbers && { numbers: numbers.map(strayJson) }),
  };
  const isJson = await showJson(content, diagnostics, audience);
  if (checked === undefined) return;
  if (checked.kind === "no-state") {
    if (!globals.quiet) {
      const command = suggest("plan", [], environment ?? "");
      terminal.say(
        `Nothing has been applied to ${environment} yet. To see what would be, run:\n  ${command}\n`,
      );
    }
    return;
  }
  const { menus, unknown, findings, uncompared } = checked;
  const others = onService ?? [];
  const stray = numbers ?? [];
  const texts = [
    ...(others.length > 0 ? [serviceText(others, menus, terminal)] : []),
    ...(stray.length > 0 ? [strayText(stray, terminal)] : []),
    ...(findings.length > 0 ? [findingsText(findings, menus, terminal)] : []),
    ...(uncompared > 0
      ? [`${many(uncompared, "menu")} not compared with the service, of ${menus} on record.\n`]
      : []),
  ];
  if (!isJson) {
    terminal.out(texts.join("\n"));
    if (texts.length === 0 && !globals.quiet) {
      terminal.out(`${many(menus, "menu")} checked, no problems.\n`);
    }
  }
  if (texts.length > 0 && !isJson && !globals.quiet) {
    const lines = findings.length === 0 ? "what apply would do" : "the lines to correct";
    const words = `To see ${lines}, and what would change for callers, run:`;
    const command = suggest("plan", [], environment ?? "");
    terminal.say(`${wrap(words, "", terminal.wordWrap)}\n  ${visible(command)}\n`);
  }
  if (unknown.length > 0 && !globals.quiet) {
    const command = suggest("state show", unknown, environment ?? "");
    terminal.say(
      `${visible(`The outcome of ${unknown.join(", ")} is unknown. To see what was sent, run:`)}\n  ${visible(command)}\n`,
    );
  }
}

/** The numbers of menus that were changed on the console, and of those that are gone. */
function serviceCounts(all: readonly ServiceFinding[] | undefined) {
  if (all === undefined) return {};
  const drift = all.filter((one) => one.drift !== undefined).length;
  return { drift, missing: all.length - drift };
}

function serviceJson(all: readonly ServiceFinding[] | undefined) {
  if (all === undefined) return {};
  const about = ({ key, name, id }: ServiceFinding) => ({ key, name, id });
  return {
    drift: all.flatMap((one) =>
      one.drift === undefined ? [] : { ...about(one), differences: one.drift.differences },
    ),
    missing: all.flatMap((one) => (one.drift === undefined ? about(one) : [])),
  };
}

function serviceText(all: readonly ServiceFinding[], menus: number, terminal: Terminal): string {
  const blocks = all.map(({ key, name, id, record, drift }) => {
    const lines =
      drift === undefined
        ? ["missing: the service does not list this menu any more"]
        : driftParts({ action: "drift", drift }, record).flatMap(({ details }) =>
            details.map(({ label, text }) => `${label}: ${text}`),
          );
    const title = `${terminal.styleOut("bold", visible(key))}  “${visible(name)}”, id ${visible(id)}`;
    return `${title}\n${lines.map((line) => `  ${visible(line)}\n`).join("")}`;
  });
  const { drift = 0, missing = 0 } = serviceCounts(all);
  const counts = [
    ...(drift === 0 ? [] : [`${many(drift, "menu")} changed on the console`]),
    ...(missing === 0 ? [] : [`${many(missing, "menu")} missing`]),
  ].join(", ");
  return `${blocks.join("\n")}\n${counts}, of ${menus} on record.\n`;
}

function strayText(all: readonly StrayNumber[], terminal: Terminal): string {
  const blocks = [...groupBy(all, ({ key }) => key)].map(([key, own]) => {
    const { name, id } = own[0];
    const lines = own.map((one) => `  ${phoneText(one.number)} ${visible(strayWords(one))}\n`);
    const title = `${terminal.styleOut("bold", visible(key))}  “${visible(name)}”, id ${visible(id)}`;
    return `${title}\n${lines.join("")}`;
  });
  const lead = all.length === 1 ? "leads" : "lead";
  return `${blocks.join("\n")}\n${many(all.length, "phone number")} ${lead} elsewhere.\n`;
}

function strayWords({ isListed, before, reached }: StrayNumber): string {
  return isListed
    ? `leads to ${reachedWords(before, reached)}`
    : "is not in the list of phone numbers";
}

function strayJson({ key, name, id, number, before, isListed }: StrayNumber): object {
  return { key, name, id, number, before: menuDestination(id), after: before, listed: isListed };
}

function findingsText(
  findings: readonly MenuFindings[],
  menus: number,
  terminal: Terminal,
): string {
  const blocks = findings.map(({ key, name, items }) => {
    const width = Math.max(...items.map(({ finding }) => placeOf(finding).length));
    const lines = items.map(
      ({ finding }) =>
        `  ${placeOf(finding).padEnd(width)}  ${visible(describeFinding(finding))}\n`,
    );
    return `${terminal.styleOut("bold", visible(key))}  “${visible(name)}”\n${lines.join("")}`;
  });
  const count = findings.reduce((sum, { items }) => sum + items.length, 0);
  const affected = `${findings.length} of ${many(menus, "menu")}`;
  return `${blocks.join("\n")}\n${many(count, "problem")} in ${affected}.\n`;
}

function placeOf({ place }: AgentFinding): string {
  return visible(describePlace(place));
}

function findingsJson({ key, name, items }: MenuFindings): object[] {
  return items.map(({ finding, now }) => {
    const { place, problem } = finding;
    return {
      key,
      name,
      place,
      agent: { name: finding.name, eid: finding.eid },
      problem: problem.kind,
      // The agent that the reference means now; otherwise the agent who has the extension.
      now:
        problem.kind === "other-eid"
          ? { name: problem.to, eid: problem.eid }
          : now && { name: now.name, eid: now.eid },
    };
  });
}
