import { suggest } from "../util/suggest.ts";
import type { Agent } from "../compile/agents.ts";
import {
  type AgentFinding,
  describeFinding,
  describePlace,
} from "../deploy/plan/agent-findings.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { showJson } from "./diagnostics/index.ts";
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
    };

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
  const summary = { menus: all.menus, findings: plain.length };
  const isJson = await showJson({ environment, summary, findings: plain }, diagnostics, audience);
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
  const { menus, unknown, findings } = checked;
  if (!isJson) {
    if (findings.length > 0) terminal.out(findingsText(findings, menus, terminal));
    else if (!globals.quiet) {
      terminal.out(`${many(menus, "menu")} checked, no problems.\n`);
    }
  }
  if (findings.length > 0 && !isJson && !globals.quiet) {
    const words = "To see the lines to correct, and what would change for callers, run:";
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
