import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import type { Agents } from "../compile/agents.ts";
import type { ResolvedMenu } from "../compile/menu.ts";
import { HouseView, houseAgent } from "./custom-menu.ts";
import type { HouseAgent, HouseMenu } from "./plugin.ts";
import type { RuleSettings } from "./settings.ts";

type Setting = RuleSettings["house"][number];
type Report = (at: Span, message: string, hint?: string) => void;

/** Runs rules of a project's own. Whatever they do, it comes to diagnostics. */
export class HouseRules {
  readonly #settings: readonly Setting[];
  readonly #agents: Agents | undefined;
  readonly #view = new HouseView();
  #frozen: readonly HouseAgent[] | undefined;

  constructor(settings: readonly Setting[], agents: Agents | undefined) {
    this.#settings = settings;
    this.#agents = agents;
  }

  /** Whether there is nothing to run. */
  get isIdle(): boolean {
    return this.#settings.length === 0;
  }

  judge(
    seen: ResolvedMenu,
    reporterOf: (setting: Setting) => Report,
    diagnostics: Diagnostics,
  ): void {
    const menu = this.#view.menu(seen);
    if (menu === undefined) return;
    for (const setting of this.#settings) {
      const problem = this.#run(setting, menu, reporterOf(setting));
      if (problem === undefined) continue;
      diagnostics.addFinding({
        rule: setting.rule.name,
        code: "IVR746",
        severity: "error",
        at: seen.top,
        message: `The house rule \`${setting.rule.name}\` ${problem}.`,
        hint: "What it would have found here is not known; see docs/house-rules.md.",
      });
    }
  }

  /** What went wrong, in words. */
  #run({ rule, options }: Setting, menu: HouseMenu, report: Report): string | undefined {
    let problem: string | undefined;
    let over = false;
    const agents = (this.#frozen ??= Object.freeze((this.#agents?.list ?? []).map(houseAgent)));
    const context = Object.freeze({
      agents,
      options,
      report: (finding: unknown) => {
        if (over) return;
        const reading = this.#read(finding);
        if (typeof reading === "string") problem ??= reading;
        else report(reading.at, reading.message, reading.hint);
      },
    });
    try {
      const result = rule.check(menu, context);
      if (isPromise(result)) {
        // Nobody waits for it, and nothing that it does later may end the process.
        result.then(undefined, () => {});
        problem ??= "gave a promise: a rule must be done when it returns";
      }
    } catch (error) {
      problem = `threw an error: ${wordsOf(error)}`;
    }
    over = true;
    return problem;
  }

  #read(finding: unknown): { at: Span; message: string; hint: string | undefined } | string {
    if (typeof finding !== "object" || finding === null)
      return "reported something that is no finding";
    const { at, message, hint } = {
      at: undefined,
      message: undefined,
      hint: undefined,
      ...finding,
    };
    const span = this.#view.spanOf(at);
    if (span === undefined) return "reported a finding whose `at` is no place of the menu";
    if (!isText(message)) return "reported a finding without a `message`";
    if (hint !== undefined && !isText(hint)) return "reported a finding whose `hint` is no text";
    return { at: span, message: line(message), hint: hint === undefined ? undefined : line(hint) };
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

const maxLength = 500;

function line(text: string): string {
  const words = text.trim().replace(/\s+/g, " ");
  return words.length <= maxLength ? words : `${words.slice(0, maxLength - 1)}…`;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

/** Whatever was thrown, on one line. */
export function wordsOf(error: unknown): string {
  try {
    const words = line(error instanceof Error ? error.message : String(error));
    return words.replace(/[.\s]+$/, "") || "one without a word";
  } catch {
    return "one that cannot be shown";
  }
}
