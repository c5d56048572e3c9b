import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Placed, Span } from "../diagnostics/source.ts";
import type { Agent, Agents } from "../compile/agents.ts";
import {
  type ResolvedDestination,
  type ResolvedMenu,
  type ResolvedOption,
  type ResolvedRecording,
  sendable,
} from "../compile/menu.ts";
import type {
  CustomAgent,
  CustomDestination,
  CustomMenu,
  CustomMenuOption,
  CustomRecording,
  CustomText,
  Place,
} from "./plugin.ts";
import { allFieldsDefined, allItemsDefined } from "../util/defined.ts";
import type { Report } from "./rule.ts";
import type { CustomSetting } from "./settings.ts";

/** Runs custom rules. A rule that fails becomes a diagnostic. */
export class CustomRules {
  readonly #settings: readonly CustomSetting[];
  readonly #agents: readonly CustomAgent[];
  // Shared by all menus: a rule may keep a place and report it when it checks another menu.
  readonly #places = new Places();

  constructor(settings: readonly CustomSetting[], agents: Agents | undefined) {
    this.#settings = settings;
    this.#agents = settings.length === 0 ? [] : deepFreeze((agents?.list ?? []).map(agentForRule));
  }

  check(
    resolved: ResolvedMenu,
    reporterFor: (setting: CustomSetting) => Report,
    diagnostics: Diagnostics,
  ): void {
    if (this.#settings.length === 0) return;
    const menu = menuForRule(resolved, this.#places);
    if (menu === undefined) return;
    for (const setting of this.#settings) {
      const problem = this.#run(setting, menu, reporterFor(setting));
      if (problem === undefined) continue;
      diagnostics.addFinding({
        rule: setting.rule.name,
        code: "IVR745",
        severity: "error",
        at: resolved.top,
        message: `The custom rule \`${setting.rule.name}\` ${problem}.`,
        hint: "Correct the rule, or set it to `off`. See docs/custom-rules.md.",
      });
    }
  }

  /** Returns what the rule did wrong. */
  #run({ rule, options }: CustomSetting, menu: CustomMenu, report: Report): string | undefined {
    let problem: string | undefined;
    let ended = false;
    const context = Object.freeze({
      agents: this.#agents,
      options,
      report: (given: unknown) => {
        if (ended) return;
        const finding = readFinding(given, this.#places);
        if (typeof finding === "string") problem ??= finding;
        else report(finding.at, finding.message, finding.hint);
      },
    });
    try {
      const result = rule.check(menu, context);
      if (isPromise(result)) {
        // Nothing awaits the promise, so its rejection must not end the process.
        result.then(undefined, () => {});
        problem ??= "returned a promise, but a rule cannot be asynchronous";
      }
    } catch (error) {
      problem = `threw an error: ${wordsOf(error)}`;
    }
    ended = true;
    return problem;
  }
}

/** The message of a thrown value, on one line. */
export function wordsOf(error: unknown): string {
  try {
    const words = line(error instanceof Error ? error.message : String(error));
    return words.replace(/[.\s]+$/, "") || "(no message)";
  } catch {
    return "(the error has no readable message)";
  }
}

/** Turns spans into opaque objects for rules, and back. */
class Places {
  readonly #spans = new WeakMap<object, Span>();

  add(span: Span): Place {
    const place = Object.freeze(Object.create(null));
    this.#spans.set(place, span);
    return place;
  }

  /** Returns undefined for anything that is not a place of a menu. */
  spanOf(place: unknown): Span | undefined {
    return typeof place === "object" && place !== null ? this.#spans.get(place) : undefined;
  }
}

interface Finding {
  readonly at: Span;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Returns what a rule reported or, as text, what is wrong with it. */
function readFinding(given: unknown, places: Places): Finding | string {
  if (typeof given !== "object" || given === null) return "called `report` without an object";
  const { at, message, hint } = { at: undefined, message: undefined, hint: undefined, ...given };
  const span = places.spanOf(at);
  if (span === undefined) return "called `report` with an `at` that is not a place of a menu";
  if (!isText(message)) return "called `report` without a `message`";
  if (hint !== undefined && !isText(hint))
    return "called `report` with a `hint` that is not a text";
  return { at: span, message: line(message), hint: hint === undefined ? undefined : line(hint) };
}

/** A frozen copy of a menu; undefined if the menu is incomplete. */
function menuForRule(menu: ResolvedMenu, places: Places): CustomMenu | undefined {
  const { key, optionsAt, options, invalid, timeout } = menu;
  const text = (placed: Placed<string> | undefined): CustomText | undefined =>
    placed && { value: placed.value, at: places.add(placed.at) };
  const recording = (placed: ResolvedRecording | undefined): CustomRecording | undefined => {
    if (placed === undefined) return undefined;
    const { id, alias, says, seconds } = placed.value;
    return { id, alias, says, seconds, at: places.add(placed.at) };
  };
  const destination = (
    resolved: ResolvedDestination | undefined,
  ): CustomDestination | undefined => {
    const sent = sendable(resolved);
    if (sent === undefined) return undefined;
    const at = places.add(sent.span);
    switch (sent.kind) {
      case "extension":
        return { kind: "extension", id: sent.eid, agent: agentForRule(sent.agent), at };
      case "menu":
        return { kind: "menu", id: sent.key, agent: undefined, at };
      case "other":
        return { kind: sent.name, id: sent.id, agent: undefined, at };
    }
  };
  const menuOption = (option: ResolvedOption): CustomMenuOption | undefined => {
    const leadsTo = destination(option.destination);
    return (
      leadsTo && {
        key: option.key,
        keyAt: places.add(option.keyAt),
        for: text(option.for),
        sms: option.sms?.id,
        destination: leadsTo,
      }
    );
  };
  const copy = allFieldsDefined({
    key,
    at: places.add(menu.top),
    name: text(menu.name),
    description: text(menu.description),
    recording: recording(menu.recording),
    options: options && allItemsDefined(options.map(menuOption)),
    optionsAt: optionsAt && places.add(optionsAt),
    invalid: allFieldsDefined({
      retries: text(invalid.retries),
      recording: recording(invalid.recording),
      destination: destination(invalid.destination),
    }),
    timeout: allFieldsDefined({
      wait: text(timeout.wait),
      retries: text(timeout.retries),
      retryRecording: recording(timeout.retryRecording),
      recording: recording(timeout.recording),
      destination: destination(timeout.destination),
    }),
  });
  return copy && deepFreeze(copy);
}

function agentForRule({ departments, ...agent }: Agent): CustomAgent {
  return { ...agent, departments: [...departments] };
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
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
