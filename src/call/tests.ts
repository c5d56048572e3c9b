import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { menuKeyHelp } from "../schema/field-types.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { canonicalKey } from "../project/options.ts";
import type { Test } from "../schema/menu.ts";
import { type Node, at, keyAt } from "../yaml/node.ts";
import {
  type ReferenceContext,
  resolveDestination,
  resolveRecording,
} from "../compile/references.ts";
import type { ResolvedDestination, ResolvedMenu, WrittenTests } from "../compile/compiled-menu.ts";
import { type CallMenus, silence, walk } from "./simulated-call.ts";
import type { CallDestination, CallRecording, Press, Via } from "../model/call-menu.ts";

/** One call: what the caller does, and what must happen. */
export interface CallTest {
  readonly name: string;
  /** Where it is written. */
  readonly at: Span;
  readonly press: readonly Press[];
  readonly expected: Expected;
  /** Who should answer, as written. */
  readonly reaches?: ResolvedDestination | undefined;
}

/** The expectations of a test. */
export interface Expected {
  readonly reached?: CallDestination | undefined;
  readonly via?: Via | undefined;
  readonly heard?: readonly CallRecording[] | undefined;
  /** The key of the menu that the call is in after the last key. */
  readonly in?: string | undefined;
  readonly steps?: number | undefined;
}

/** What is needed to resolve the references in tests. */
interface TestContext extends ReferenceContext {
  /** The keys of the menu that is tested; undefined if they are not known. */
  readonly keys: readonly Press[] | undefined;
  /** The keys of all menus. */
  readonly menuKeys: ReadonlySet<string>;
}

/** Reads tests. Reports and leaves out a test whose references cannot be resolved. */
export function readTests(tests: WrittenTests | undefined, context: TestContext): CallTest[] {
  if (tests === undefined) return [];
  const { values, tree } = tests;
  return values.flatMap((value, index) => {
    const diagnostics = new Diagnostics();
    const place = keyAt(tree, [index]) ?? tree;
    const test = readTest(value, place, at(tree, [index]), { ...context, diagnostics });
    context.diagnostics.addAll(diagnostics);
    return diagnostics.hasErrors ? [] : test;
  });
}

/**
 * Warns about tests that expect the same variable as the key that they press is written with: whoever that is,
 * they pass.
 */
export function reportSameVariables(
  { call }: ResolvedMenu,
  tests: readonly CallTest[],
  { menus, callMenus }: { menus: ReadonlyMap<string, ResolvedMenu>; callMenus: CallMenus },
  diagnostics: Diagnostics,
): void {
  for (const { press, reaches } of call ? tests : []) {
    const [expected] = reaches?.at.via ?? [];
    const fields = Object.keys(reaches?.reference ?? {});
    if (call === undefined || expected === undefined || fields.length !== 1) continue;
    const last = walk(call, press, callMenus).steps.at(-1);
    const menu = menus.get(last?.in ?? "");
    const option = menu?.options?.find(({ key }) => key === last?.press);
    const path = last && last.as !== "option" ? (`${last.as}.destination` as const) : undefined;
    const taken = path ? menu?.facts[path] : option?.destination;
    if (taken?.at.via?.[0]?.text !== expected.text) continue;
    const { text, at: place } = expected;
    const where = path ? `\`${last?.as}:\`` : `key ${last?.press}`;
    diagnostics.add(
      "IVR802",
      place,
      `This test expects \`${text}\`, and ${where} has the same, so it passes whoever that is.`,
      `Name who should answer, or add what must be true of them, for example \`{ agent: "${text}", team: Sales }\`.`,
    );
  }
}

/** Whether a caller can do this: press a phone key or a key of the menu, or be silent. */
export function canBePressed(press: Press, keys: readonly Press[]): boolean {
  return press === silence || /^[0-9*#]$/.test(press) || keys.includes(press);
}

function readTest(test: Test, place: Span, node: Node, context: TestContext): CallTest {
  const { reaches, via, hears, in: inMenu, steps } = test;
  const press = readPresses(test.press, at(node, ["press"]), context);
  if (inMenu !== undefined) reportNoMenu(inMenu, at(node, ["in"]), context);
  if (![reaches, via, hears, inMenu, steps].some((expected) => expected !== undefined)) {
    context.diagnostics.add(
      "IVR802",
      place,
      "This test does not say what to expect.",
      "Add `reaches:`, `via:`, `hears:`, `in:` or `steps:`, for example `reaches: Asha Rao`.",
    );
  }
  const destination =
    reaches === undefined ? undefined : resolveDestination(reaches, at(node, ["reaches"]), context);
  return {
    name: test.name ?? nameFor(press),
    at: place,
    press,
    reaches: destination,
    expected: {
      reached: destination?.value,
      via,
      heard: hears?.flatMap(
        (recording, index) =>
          resolveRecording(recording, at(node, ["hears", index]), context)?.value ?? [],
      ),
      in: inMenu,
      steps: steps === undefined ? undefined : Number(steps),
    },
  };
}

function readPresses(
  value: Test["press"],
  node: Node,
  { keys, diagnostics }: TestContext,
): Press[] {
  const presses = [value].flat().map(canonicalKey);
  if (presses.length > limits.keysPressed) {
    diagnostics.add(
      "IVR130",
      node,
      `This test presses ${presses.length.toLocaleString("en-US")} keys. The limit is ${shownLimit("keysPressed")}.`,
      "Press fewer keys. A call ends after a few.",
    );
    return [];
  }
  for (const [index, press] of presses.entries()) {
    if (keys === undefined || canBePressed(press, keys)) continue;
    diagnostics.add(
      "IVR203",
      at(node, [index]),
      `\`${shorten(press)}\` is not a phone key, and this menu has no such key.`,
      /^[0-9*#]{2,12}$/.test(press)
        ? `Write several keys as a list: \`[${press.split("").map(quoted).join(", ")}]\`.`
        : "Use 0-9, * or #, or `_` for silence.",
    );
  }
  return presses;
}

function reportNoMenu(key: string, place: Span, { menuKeys, diagnostics }: TestContext): void {
  if (menuKeys.has(key)) return;
  diagnostics.add(
    "IVR313",
    place,
    `There is no menu with the key \`${shorten(key)}\`.`,
    didYouMean(nearest(key, menuKeys)) ?? menuKeyHelp,
  );
}

function quoted(key: string): string {
  return /^[0-9]$/.test(key) ? key : `"${key}"`;
}

/** The name of a test without `name:`. */
export function nameFor(press: readonly Press[]): string {
  return press.length === 0 ? "press nothing" : `press ${press.join(",")}`;
}
