import * as z from "zod/mini";
import type { Placed, Span } from "../diagnostics/source.ts";
import type {
  ResolvedDestination,
  ResolvedMenu,
  ResolvedOption,
  ResolvedRecording,
} from "../compile/compiled-menu.ts";
import type {
  CustomDestination,
  CustomMenu,
  CustomMenuOption,
  CustomRecording,
  CustomRule,
  CustomText,
  Place,
} from "./plugin.ts";
import { fieldValues } from "../model/menu.ts";
import { fieldsOfKind } from "../schema/fields.ts";
import { allItemsDefined } from "../util/defined.ts";
import { type RuleContext, type Rule, type RuleAbout, readSeverity } from "./rule.ts";
import { validate } from "../schema/validated.ts";
import { ruleSeverities } from "../schema/rules.ts";

export type PluginReading =
  | { readonly kind: "read"; readonly name: string; readonly rules: readonly Rule[] }
  | { readonly kind: "refused"; readonly problem: string };

export function readPlugin(exported: unknown): PluginReading {
  const refused = (problem: string): PluginReading => ({ kind: "refused", problem });
  if (exported === undefined) return refused("it has no default export");
  try {
    const parsed = validate(Plugin, exported);
    if (!parsed.success) return refused(`its default export is invalid: ${parsed.problem}`);
    const { name, rules } = parsed.data;
    return {
      kind: "read",
      name,
      rules: Object.entries(rules).map(([ruleName, rule]) =>
        customRule(`${name}/${ruleName}`, rule),
      ),
    };
  } catch {
    // A getter of the exported object may throw anything.
    return refused("its default export cannot be read");
  }
}

const ruleName = z
  .string()
  .check(
    z.regex(/^[a-z][a-z0-9-]*$/, { error: "expected a name of lowercase letters, digits and -" }),
  );

const Plugin = z.object({
  name: ruleName,
  rules: z.record(
    ruleName,
    z.object({
      severity: z.exactOptional(z.enum(ruleSeverities)),
      about: z.exactOptional(z.string()),
      options: z.exactOptional(
        z.record(
          z.string().check(z.regex(/^(?!severity$)[A-Za-z_][\w-]*$/)),
          z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
        ),
      ),
      check: z.custom<CustomRule["check"]>((value) => typeof value === "function", {
        error: "expected a function",
      }),
    }),
  ),
});

/** A rule of a plugin. Its check gets a frozen copy of the menu, and cannot break anything. */
function customRule(name: string, rule: CustomRule): RuleAbout<"valid-menu"> {
  const { severity = "warn", options = {} } = rule;
  return {
    subject: "valid-menu",
    name,
    code: "IVR720",
    severity: readSeverity(severity),
    ...(rule.about !== undefined && { about: rule.about }),
    options: Object.fromEntries(
      Object.entries(options).map(([option, preset]) => [option, { preset }]),
    ),
    check(resolved, context) {
      const menu = context.agents && menuForRule(resolved);
      const problem = menu && run(rule, menu, context);
      if (problem === undefined) return;
      context.fail(resolved.top, `The custom rule \`${name}\` ${problem}.`, {
        words: "Correct the rule, or set it to `off`. To read how a rule works, run:",
        argv: ["explain", "extend"],
      });
    },
  };
}

/** Runs the check of a plugin. Returns what it did wrong. */
function run(rule: CustomRule, menu: CustomMenu, context: RuleContext): string | undefined {
  let problem: string | undefined;
  let ended = false;
  const ruleContext = Object.freeze({
    agents: deepFreeze(context.agents?.list ?? []),
    options: deepFreeze(context.options),
    report: (finding: unknown) => {
      if (ended) return;
      const read = validate(Finding, finding);
      const at = read.success ? spans.get(read.data.at) : undefined;
      if (read.success && at !== undefined) {
        const { message, hint } = read.data;
        context.report(at, line(message), hint && line(hint));
      } else if (!read.success)
        problem ??= `called \`report\` with an invalid finding: ${read.problem}`;
    },
  });
  try {
    const result: unknown = rule.check(menu, ruleContext);
    if (result instanceof Promise) {
      // Nothing awaits the promise, so its rejection must not end the process.
      result.catch(() => {});
      problem ??= "returned a promise, but a rule cannot be asynchronous";
    }
  } catch (error) {
    problem = `threw an error: ${thrownMessage(error)}`;
  }
  ended = true;
  return problem;
}

/** The message of a thrown value, on one line. */
export function thrownMessage(error: unknown): string {
  try {
    const words = line(error instanceof Error ? error.message : String(error));
    return words.replace(/[.\s]+$/, "") || "(no message)";
  } catch {
    return "(the error has no readable message)";
  }
}

/**
 * The spans behind the opaque places that rules get. A rule may keep a place and report it when it
 * checks another menu.
 */
const spans = new WeakMap<object, Span>();

function placeFor(span: Span): Place {
  const place = Object.freeze(Object.create(null));
  spans.set(place, span);
  return place;
}

const text = z.string().check(z.regex(/\S/, "expected a text"));

const Finding = z.object({
  at: z.custom<object>((at) => typeof at === "object" && at !== null && spans.has(at), {
    error: "expected a place in a menu",
  }),
  message: text,
  hint: z.optional(text),
});

/** A frozen copy of a menu; undefined if the menu is incomplete. */
function menuForRule(menu: ResolvedMenu): CustomMenu | undefined {
  const { key, optionsAt, options, facts } = menu;
  const text = (placed: Placed<string> | undefined): CustomText | undefined =>
    placed && { value: placed.value, at: placeFor(placed.at) };
  const recording = (placed: ResolvedRecording | undefined): CustomRecording | undefined => {
    if (placed === undefined) return undefined;
    const { id, alias, says, seconds } = placed.value;
    return { id, alias, says, seconds, at: placeFor(placed.at) };
  };
  const destination = (to: ResolvedDestination | undefined): CustomDestination | undefined => {
    const { value, agent } = to ?? {};
    if (to === undefined || value === undefined || value.kind === "unreachable") return undefined;
    const at = placeFor(to.at);
    if (value.kind === "agent") return { kind: "extension", id: value.eid, agent, at };
    const [kind, id] = value.kind === "menu" ? ["menu", value.key] : [value.name, value.id];
    return { kind, id, agent: undefined, at };
  };
  const menuOption = (option: ResolvedOption): CustomMenuOption | undefined => {
    const leadsTo = destination(option.destination);
    return (
      leadsTo && {
        key: option.key,
        keyAt: placeFor(option.keyAt),
        for: text(option.for),
        sms: option.sms?.id,
        destination: leadsTo,
      }
    );
  };
  const counted = (["text", "count", "number"] as const).flatMap((kind) => fieldsOfKind(kind));
  const values = new Map<string, unknown>([
    ...counted.map((path) => [path, text(facts[path])] as const),
    ...fieldsOfKind("recording").map((path) => [path, recording(facts[path])] as const),
    ...fieldsOfKind("destination").map((path) => [path, destination(facts[path])] as const),
    ["name", text(menu.name)],
    ["options", options && allItemsDefined(options.map(menuOption))],
  ]);
  const copy = fieldValues((path) => values.get(path));
  if (copy === undefined || key === undefined || optionsAt === undefined) return undefined;
  const places = { key, at: placeFor(menu.top), optionsAt: placeFor(optionsAt) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has the fields of a menu
  return deepFreeze({ ...places, ...copy }) as unknown as CustomMenu;
}

function deepFreeze<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value);
}

const maxLength = 500;

function line(text: string): string {
  const words = text.trim().replace(/\s+/g, " ");
  return words.length <= maxLength ? words : `${words.slice(0, maxLength - 1)}…`;
}
