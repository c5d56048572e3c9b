import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { menuKeyHelp } from "../schema/common.ts";
import { didYouMean, nearest, shorten } from "../util/nearest.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { canonicalKey } from "../compile/options.ts";
import {
  type ListNode,
  type MapNode,
  type Node,
  entry,
  field,
  isNull,
  textField,
} from "../yaml/node.ts";
import { type Context, resolveDestination, resolveRecording } from "../compile/references.ts";
import { lookedUp } from "../compile/menu.ts";
import { callDestination } from "./menu.ts";
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
  readonly reached?: CallDestination;
  readonly via?: Via;
  readonly heard?: readonly CallRecording[];
  /** The key of the menu that the call is in after the last key. */
  readonly in?: string;
  readonly steps?: number;
}

/** What is needed to resolve the references in tests. */
interface TestContext extends Context {
  /** The keys of the menu that is tested; undefined if they are not known. */
  readonly keys: readonly Press[] | undefined;
  /** The keys of all menus. */
  readonly menuKeys: ReadonlySet<string>;
}

/**
 * Reads a list of tests. Reports and leaves out a test whose references cannot be resolved. Skips
 * the values that the schema refused, so the tests of an invalid list must not be run.
 */
export function readTests(list: ListNode, context: TestContext): CallTest[] {
  return list.items.flatMap((item) => {
    if (item.kind !== "map") return [];
    const diagnostics = new Diagnostics();
    const test = readTest(item, { ...context, diagnostics });
    context.diagnostics.addAll(diagnostics);
    return diagnostics.hasErrors ? [] : test;
  });
}

/** Whether a caller can do this: press a phone key or a key of the menu, or be silent. */
export function canBePressed(press: Press, keys: readonly Press[]): boolean {
  return press === silence || /^[0-9*#]$/.test(press) || keys.includes(press);
}

function readTest(item: MapNode, context: TestContext): CallTest {
  const press = readPresses(field(item, "press"), context);
  // A field merged with `<<` has its place in another mapping.
  const at = item.entries.find(({ merged }) => !merged)?.key ?? item;
  const expected = readExpected(item, context);
  // An unknown field may be a misspelled expectation.
  if (!context.validity.misspelled.has(item) && !expects.some((name) => field(item, name))) {
    context.diagnostics.add(
      "IVR802",
      at,
      "This test does not say what to expect.",
      "Add `reaches:`, `via:`, `hears:`, `in:` or `steps:`, for example `reaches: Asha Rao`.",
    );
  }
  return { name: textField(item, "name") ?? described(press), at, press, expected };
}

function readExpected(item: MapNode, context: TestContext): Expected {
  const reached = readReached(item, context);
  const via = viaOf(textField(item, "via"));
  const heard = readHeard(field(item, "hears"), context);
  const inMenu = readIn(item, context);
  const steps = textField(item, "steps");
  return {
    ...(reached && { reached }),
    ...(via && { via }),
    ...(heard && { heard }),
    ...(inMenu !== undefined && { in: inMenu }),
    ...(steps !== undefined && { steps: Number(steps) }),
  };
}

function readPresses(node: Node | undefined, context: TestContext): Press[] {
  const presses = pressesIn(node, context);
  if (node === undefined || presses.length <= limits.keysPressed) return presses;
  context.diagnostics.add(
    "IVR130",
    node,
    `This test presses ${presses.length.toLocaleString("en-US")} keys. The limit is ${shownLimit("keysPressed")}.`,
    "Press fewer keys. A call ends after a few.",
  );
  return [];
}

function pressesIn(node: Node | undefined, context: TestContext): Press[] {
  const { keys, diagnostics, validity } = context;
  if (node === undefined || validity.invalidNodes.has(node)) return [];
  if (node.kind === "list") return node.items.flatMap((item) => pressesIn(item, context));
  if (node.kind === "map") return [];
  const press = canonicalKey(node.text);
  if (keys !== undefined && !canBePressed(press, keys)) {
    diagnostics.add(
      "IVR203",
      node,
      `\`${shorten(press)}\` is not a phone key, and this menu has no such key.`,
      /^[0-9*#]{2,12}$/.test(press)
        ? `Write several keys as a list: \`[${press.split("").map(quoted).join(", ")}]\`.`
        : "Use 0-9, * or #, or `_` for silence.",
    );
  }
  return [press];
}

function readReached(item: MapNode, context: TestContext): CallDestination | undefined {
  const reaches = entry(item, "reaches");
  if (reaches === undefined || isNull(reaches.value)) return undefined;
  if (context.validity.invalidNodes.has(reaches.value)) return undefined;
  const found = lookedUp(resolveDestination(reaches.value, reaches.key, context));
  return found && callDestination(found);
}

function readIn(item: MapNode, { menuKeys, diagnostics, validity }: TestContext) {
  const node = field(item, "in");
  if (node?.kind !== "scalar" || isNull(node) || validity.invalidNodes.has(node)) return undefined;
  if (menuKeys.has(node.text)) return node.text;
  diagnostics.add(
    "IVR313",
    node,
    `There is no menu with the key \`${shorten(node.text)}\`.`,
    didYouMean(nearest(node.text, menuKeys)) ?? menuKeyHelp,
  );
  return undefined;
}

function readHeard(node: Node | undefined, context: TestContext): CallRecording[] | undefined {
  if (node?.kind !== "list") return undefined;
  const { invalidNodes } = context.validity;
  return node.items.flatMap((item) =>
    invalidNodes.has(item) ? [] : (resolveRecording(item, context)?.value ?? []),
  );
}

const expects = ["reaches", "via", "hears", "in", "steps"];
const paths: readonly Via[] = ["option", "invalid", "timeout"];

/** The path that a word names. */
export function viaOf(word: string | undefined): Via | undefined {
  return paths.find((path) => path === word);
}

function quoted(key: string): string {
  return /^[0-9]$/.test(key) ? key : `"${key}"`;
}

/** The name of a test without `name:`. */
function described(press: readonly Press[]): string {
  return press.length === 0 ? "press nothing" : `press ${press.join(",")}`;
}
