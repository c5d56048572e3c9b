import type { Audience } from "./audience.ts";
import { suggest } from "../util/suggest.ts";
import type { Agent } from "../compile/agents.ts";
import { type AgentFinding, describeFinding } from "../deploy/plan/agent-findings.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { sayInWords } from "./diagnostics/index.ts";
import { plainDiagnostics } from "./diagnostics/json.ts";
import { formatVersion, toJson } from "./json.ts";
import { type Terminal, visible } from "./terminal.ts";

/** What is wrong with one menu by now. */
export interface MenuFindings {
  readonly key: string;
  readonly name: string;
  readonly items: readonly {
    readonly finding: AgentFinding;
    /** Who has the extension by now. */
    readonly now: Pick<Agent, "name" | "eid"> | null;
  }[];
}

export type Checked =
  | { readonly kind: "no-state" }
  | {
      readonly kind: "checked";
      /** How many have a record that was confirmed. */
      readonly menus: number;
      /** The keys whose outcome is unknown. */
      readonly unknown: readonly string[];
      readonly findings: readonly MenuFindings[];
    };

interface Shown {
  readonly environment: string | null;
  /** Undefined where it could not be checked. */
  readonly checked: Checked | undefined;
}

export async function showChecked(
  { environment, checked }: Shown,
  diagnostics: readonly Diagnostic[],
  { format, globals, terminal }: Audience,
): Promise<void> {
  await sayInWords(diagnostics, terminal);
  if (format === "json") {
    const findings = checked?.kind === "checked" ? checked.findings.flatMap(findingsJson) : [];
    terminal.out(
      toJson({
        format_version: formatVersion,
        environment,
        summary: {
          menus: checked?.kind === "checked" ? checked.menus : 0,
          findings: findings.length,
        },
        findings,
        diagnostics: plainDiagnostics(diagnostics),
      }),
    );
  }
  if (checked === undefined) return;
  if (checked.kind === "no-state") {
    if (!globals.quiet) terminal.say(`Nothing was applied to ${environment} yet.\n`);
    return;
  }
  const { menus, unknown, findings } = checked;
  if (format !== "json") {
    if (findings.length > 0) terminal.out(findingsText(findings, menus, terminal));
    else if (!globals.quiet) {
      terminal.out(menus === 1 ? "1 menu is sound.\n" : `${menus} menus are sound.\n`);
    }
  }
  if (unknown.length > 0 && !globals.quiet) {
    terminal.say(
      `${visible(`The outcome of ${unknown.join(", ")} is unknown: ${suggest("state show", unknown.slice(0, 1), environment ?? "")}`)}\n`,
    );
  }
}

function findingsText(
  findings: readonly MenuFindings[],
  menus: number,
  terminal: Terminal,
): string {
  const blocks = findings.map(({ key, name, items }) => {
    const width = Math.max(...items.map(({ finding }) => visible(finding.place).length));
    const lines = items.map(
      ({ finding }) =>
        `  ${visible(finding.place).padEnd(width)}  ${visible(describeFinding(finding))}\n`,
    );
    return `${terminal.styleOut("bold", visible(key))}  “${visible(name)}”\n${lines.join("")}`;
  });
  const count = findings.reduce((sum, { items }) => sum + items.length, 0);
  const places = count === 1 ? "1 place" : `${count} places`;
  const hit = `${findings.length} of ${menus === 1 ? "1 menu" : `${menus} menus`}`;
  return `${blocks.join("\n")}\n${places} to look at, in ${hit}.\n`;
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
      // Whom the menu means by now; else who has the extension.
      now:
        problem.kind === "other-eid"
          ? { name: problem.to, eid: problem.eid }
          : now && { name: now.name, eid: now.eid },
    };
  });
}
