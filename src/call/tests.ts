import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { menuKeyHelp } from "../schema/field-types.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { canonicalKey } from "../compile/options.ts";
import type { TestDraft } from "../schema/menu.ts";
import { type Node, itemsOf, keyAt, nodeAt } from "../yaml/node.ts";
import { type Context, resolveDestination, resolveRecording } from "../compile/references.ts";
import type { WrittenTests } from "../compile/menu.ts";
import {
  type CallDestination,
  type CallRecording,
  type Press,
  type Via,
  silence,
} from "./model.ts";

/** One call: what the caller does, and what must happen. */
export interface CallTest {
  readonly name: string;
  /** Where it is written. */
  readonly at: Span;
  readonly press: readonly Press[];
  readonly expected: Expected;
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
interface TestContext extends Context {
  /** Where to report what has no place of its own. */
  readonly at: Span;
  /** The keys of the menu that is tested; undefined if they are not known. */
  readonly keys: readonly Press[] | undefined;
  /** The keys of all menus. */
  readonly menuKeys: ReadonlySet<string>;
}

/**
 * Reads tests. Reports and leaves out a test whose references cannot be resolved. Values that the
 * schema refused are missing, so the tests of an invalid list must not be run.
 */
export function readTests(tests: WrittenTests | undefined, context: TestContext): CallTest[] {
  if (tests === undefined) return [];
  const { values, tree, written } = tests;
  const whole = new Set(itemsOf(written));
  return values.flatMap((value, index) => {
    const diagnostics = new Diagnostics();
    const node = nodeAt(tree, [index]);
    // A field that was left out may be an expectation.
    const isWhole = node !== undefined && whole.has(node);
    const test = readTest(value, node, isWhole, {
      ...context,
      at: keyAt(tree, [index]) ?? context.at,
      diagnostics,
    });
    context.diagnostics.addAll(diagnostics);
    return diagnostics.hasErrors ? [] : test;
  });
}

/** Whether a caller can do this: press a phone key or a key of the menu, or be silent. */
export function canBePressed(press: Press, keys: readonly Press[]): boolean {
  return press === silence || /^[0-9*#]$/.test(press) || keys.includes(press);
}

function readTest(
  value: TestDraft,
  node: Node | undefined,
  isWhole: boolean,
  context: TestContext,
): CallTest {
  const { at, diagnostics } = context;
  const press = readPresses(value.press, nodeAt(node, ["press"]), context);
  const expected = readExpected(value, node, context);
  if (isWhole && !expects.some((name) => value[name] !== undefined)) {
    diagnostics.add(
      "IVR802",
      at,
      "This test does not say what to expect.",
      "Add `reaches:`, `via:`, `hears:`, `in:` or `steps:`, for example `reaches: Asha Rao`.",
    );
  }
  return { name: value.name ?? described(press), at, press, expected };
}

function readExpected(
  { reaches, via, hears, in: inMenu, steps }: TestDraft,
  node: Node | undefined,
  context: TestContext,
): Expected {
  const place = (...path: readonly (string | number)[]) => nodeAt(node, path);
  const [reachedAt, inAt] = [place("reaches"), place("in")];
  if (inMenu !== undefined && inAt) reportNoMenu(inMenu, inAt, context);
  return {
    reached:
      reaches !== undefined && reachedAt
        ? resolveDestination(reaches, reachedAt, context)?.value
        : undefined,
    via,
    heard: hears?.flatMap((recording, at) => {
      const span = place("hears", at);
      return (span && resolveRecording(recording, span, context)?.value) ?? [];
    }),
    in: inMenu,
    steps: steps === undefined ? undefined : Number(steps),
  };
}

function readPresses(
  value: TestDraft["press"],
  node: Node | undefined,
  { keys, diagnostics, at }: TestContext,
): Press[] {
  const presses = (typeof value === "string" ? [value] : (value ?? [])).map(canonicalKey);
  if (presses.length > limits.keysPressed) {
    diagnostics.add(
      "IVR130",
      node ?? at,
      `This test presses ${presses.length.toLocaleString("en-US")} keys. The limit is ${shownLimit("keysPressed")}.`,
      "Press fewer keys. A call ends after a few.",
    );
    return [];
  }
  for (const [index, press] of presses.entries()) {
    if (keys === undefined || canBePressed(press, keys)) continue;
    diagnostics.add(
      "IVR203",
      nodeAt(node, [index]) ?? node ?? at,
      `\`${shorten(press)}\` is not a phone key, and this menu has no such key.`,
      /^[0-9*#]{2,12}$/.test(press)
        ? `Write several keys as a list: \`[${press.split("").map(quoted).join(", ")}]\`.`
        : "Use 0-9, * or #, or `_` for silence.",
    );
  }
  return presses;
}

function reportNoMenu(key: string, at: Span, { menuKeys, diagnostics }: TestContext): void {
  if (menuKeys.has(key)) return;
  diagnostics.add(
    "IVR313",
    at,
    `There is no menu with the key \`${shorten(key)}\`.`,
    didYouMean(nearest(key, menuKeys)) ?? menuKeyHelp,
  );
}

const expects = ["reaches", "via", "hears", "in", "steps"] as const;

function quoted(key: string): string {
  return /^[0-9]$/.test(key) ? key : `"${key}"`;
}

/** The name of a test without `name:`. */
function described(press: readonly Press[]): string {
  return press.length === 0 ? "press nothing" : `press ${press.join(",")}`;
}
