import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
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

/** Only what the test names. */
export interface Expected {
  readonly reached?: CallDestination;
  readonly via?: Via;
  readonly heard?: readonly CallRecording[];
  readonly steps?: number;
}

/** What the references in tests are resolved with. */
interface TestContext extends Context {
  /** The keys of the menu that is tested; undefined if they are not known. */
  readonly keys: readonly Press[] | undefined;
}

/**
 * Reads a list of tests; one whose references cannot be resolved is reported and left out. What
 * the schema reported as invalid is skipped. Tests of an invalid list must therefore not be run.
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

/** What a caller can do in a menu of these keys: press one of them or of a telephone's, or be silent. */
export function canBePressed(press: Press, keys: readonly Press[]): boolean {
  return press === silence || /^[0-9*#]$/.test(press) || keys.includes(press);
}

function readTest(item: MapNode, context: TestContext): CallTest {
  const press = readPresses(field(item, "press"), context);
  // What came in through `<<` is written elsewhere.
  const at = item.entries.find(({ merged }) => !merged)?.key ?? item;
  const expected = readExpected(item, context);
  // An unknown field may be a misspelt expectation.
  if (!context.validity.misspelt.has(item) && !expects.some((name) => field(item, name))) {
    context.diagnostics.add(
      "IVR802",
      at,
      "This test expects nothing of the call.",
      "Say whom it `reaches:`, `via:` which path, what the caller `hears:`, or in how many `steps:`.",
    );
  }
  return { name: textField(item, "name") ?? described(press), at, press, expected };
}

function readExpected(item: MapNode, context: TestContext): Expected {
  const reached = readReached(item, context);
  const via = viaOf(textField(item, "via"));
  const heard = readHeard(field(item, "hears"), context);
  const steps = textField(item, "steps");
  return {
    ...(reached && { reached }),
    ...(via && { via }),
    ...(heard && { heard }),
    ...(steps !== undefined && { steps: Number(steps) }),
  };
}

function readPresses(node: Node | undefined, context: TestContext): Press[] {
  const presses = pressesIn(node, context);
  if (node === undefined || presses.length <= limits.keysPressed) return presses;
  context.diagnostics.add(
    "IVR130",
    node,
    `This test presses ${presses.length.toLocaleString("en-US")} keys; ${shownLimit("keysPressed")} is the limit.`,
    "Press fewer keys. A call lands after a few.",
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
      "IVR801",
      node,
      `\`${press}\` is neither a key of a telephone nor one of this menu.`,
      /^[0-9*#]+$/.test(press)
        ? `One key after the other is a list: [${press.split("").map(quoted).join(", ")}].`
        : "A caller presses 0-9, * or #, or is silent: `_`.",
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

function readHeard(node: Node | undefined, context: TestContext): CallRecording[] | undefined {
  if (node?.kind !== "list") return undefined;
  const { invalidNodes } = context.validity;
  return node.items.flatMap((item) =>
    invalidNodes.has(item) ? [] : (resolveRecording(item, context)?.value ?? []),
  );
}

const expects = ["reaches", "via", "hears", "steps"];
const paths: readonly Via[] = ["option", "invalid", "timeout"];

export function viaOf(word: string | undefined): Via | undefined {
  return paths.find((path) => path === word);
}

function quoted(key: string): string {
  return /^[0-9]$/.test(key) ? key : `"${key}"`;
}

/** The name of a test that has none. */
function described(press: readonly Press[]): string {
  return press.length === 0 ? "press nothing" : `press ${press.join(",")}`;
}
