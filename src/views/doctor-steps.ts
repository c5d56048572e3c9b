import { isAbout } from "../diagnostics/groups.ts";
import { diagnosticPlace } from "../diagnostics/diagnostic.ts";
import { codeEntry } from "../rules/explanations.ts";
import type { DoctorStep } from "../doctor/doctor-step.ts";
import { type Hint, hintText } from "../util/suggest.ts";
import { tally } from "./diagnostics/diagnostics-text.ts";
import type { Page, Style } from "./terminal.ts";
import { wrapAdvice } from "./text.ts";

const marks: Readonly<Record<DoctorStep["status"], readonly [mark: string, style: Style]>> = {
  ok: ["✓", "green"],
  warning: ["!", "yellow"],
  error: ["✗", "red"],
  skipped: ["-", "dim"],
};

/** One line of the report: a step without problems, or one problem of a step. */
interface Line {
  readonly name: string;
  readonly status: DoctorStep["status"];
  readonly message: string;
  readonly fix?: Hint;
}

/** One line for each step, or for each problem that it found, with the help below. */
export function stepsText(steps: readonly DoctorStep[], page: Page): string {
  const width = Math.max(0, ...steps.map(({ name }) => name.length));
  return steps.flatMap((step) => linesOf(step).map((line) => lineText(line, width, page))).join("");
}

export function stepsJson(steps: readonly DoctorStep[]): object[] {
  return steps
    .flatMap(linesOf)
    .map(({ fix, ...line }) => Object.assign(line, fix && { fix: hintText(fix) }));
}

function linesOf({ name, status, message, problems }: DoctorStep): Line[] {
  if (problems.length === 0) return [{ name, status, message }];
  return problems.map((problem) => {
    const { code, hint = codeEntry(code).fix } = problem;
    const place = problem.line === undefined ? "" : `${diagnosticPlace(problem)}: `;
    return {
      name,
      status: problem.severity === "error" ? "error" : "warning",
      message: `${place}${problem.message} [${code}]`,
      fix:
        typeof hint === "object" && "argv" in hint && hint.argv[0] === "doctor" ? moreHelp : hint,
    };
  });
}

/** Replaces the advice to run doctor. */
const moreHelp =
  "Check the address, and that the token is complete and belongs to this account. `--verbose` shows each request.";

function lineText({ name, status, message, fix }: Line, width: number, page: Page): string {
  const [mark, style] = marks[status];
  const indent = " ".repeat(mark.length + width + 3);
  const words = wrapAdvice(message, indent, page).trimStart();
  const first = `${page.style(style, mark)} ${name.padEnd(width)}  ${words}\n`;
  return fix === undefined ? first : `${first}${wrapAdvice(fix, indent, page)}\n`;
}

/** How many problems there are, and if plan and apply can run. */
export function doctorSummary(steps: readonly DoctorStep[]): string {
  const problems = steps.flatMap((step) => step.problems);
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const isBegun = problems.every((one) => !isAbout(one, "state not begun"));
  const next =
    errors > 0
      ? `Fix the error${errors === 1 ? "" : "s"} before you run plan or apply.`
      : isBegun
        ? "plan and apply can run."
        : "plan can run; apply needs the state first.";
  return `\n${tally(problems) || "No problems"}. ${next}\n`;
}
