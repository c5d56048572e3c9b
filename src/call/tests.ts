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
import { known } from "../compile/menu.ts";
import { callDestination } from "./menu.ts";
import {
  type CallDestination,
  type CallRecording,
  type Press,
  type Via,
  silence,
} from "./model.ts";

/** One call: what the caller does, and what must come of it. */
export interface CallTest {
  readonly name: string;
  /** Where it stands. */
  readonly at: Span;
  readonly press: readonly Press[];
  readonly expected: Expected;
}

/** What a test names, and nothing else. */
export interface Expected {
  readonly reached?: CallDestination;
  readonly via?: Via;
  readonly heard?: readonly CallRecording[];
  readonly steps?: number;
}

/** What tests are settled with. */
export interface Settling extends Context {
  /** Those of the menu that they are for; undefined where nobody can say. */
  readonly keys: readonly Press[] | undefined;
}

/**
 * The tests of a list; one whose references do not hold is told and left out.
 * What the schema found faulty is passed over, so that where the list's shape
 * is not sound this tells what else is wrong, and its tests are not to be run.
 */
export function readTests(list: ListNode, settling: Settling): CallTest[] {
  return list.items.flatMap((item) => {
    if (item.kind !== "map") return [];
    const diagnostics = new Diagnostics();
    const test = new TestReader({ ...settling, diagnostics }).test(item);
    settling.diagnostics.addAll(diagnostics);
    return diagnostics.hasErrors ? [] : test;
  });
}

/** What a caller can do in a menu of these keys: press one of them or of a telephone's, or be silent. */
export function canBePressed(press: Press, keys: readonly Press[]): boolean {
  return press === silence || /^[0-9*#]$/.test(press) || keys.includes(press);
}

class TestReader {
  readonly #settling: Settling;

  constructor(settling: Settling) {
    this.#settling = settling;
  }

  test(item: MapNode): CallTest {
    const press = this.#pressed(field(item, "press"));
    // What came in through `<<` stands elsewhere.
    const at = item.entries.find(({ merged }) => !merged)?.key ?? item;
    const expected = this.#expected(item);
    const { diagnostics, validity } = this.#settling;
    // A field that is not known may be what it expects, misspelt.
    if (!validity.misspelt.has(item) && !expects.some((name) => field(item, name))) {
      diagnostics.add(
        "IVR802",
        at,
        "This test expects nothing of the call.",
        "Say whom it `reaches:`, `via:` which way, what the caller `hears:`, or in how many `steps:`.",
      );
    }
    return { name: textField(item, "name") ?? described(press), at, press, expected };
  }

  #expected(item: MapNode): Expected {
    const reached = this.#reached(item);
    const via = viaOf(textField(item, "via"));
    const heard = this.#heard(field(item, "hears"));
    const steps = textField(item, "steps");
    return {
      ...(reached === undefined ? {} : { reached }),
      ...(via === undefined ? {} : { via }),
      ...(heard === undefined ? {} : { heard }),
      ...(steps === undefined ? {} : { steps: Number(steps) }),
    };
  }

  #pressed(node: Node | undefined): Press[] {
    const presses = this.#presses(node);
    if (node === undefined || presses.length <= limits.keysPressed) return presses;
    this.#settling.diagnostics.add(
      "IVR130",
      node,
      `This test presses ${presses.length.toLocaleString("en-US")} keys; ${shownLimit("keysPressed")} is the limit.`,
      "Press fewer keys. A call lands after a few.",
    );
    return [];
  }

  #presses(node: Node | undefined): Press[] {
    const { keys, diagnostics, validity } = this.#settling;
    if (node === undefined || validity.faulty.has(node)) return [];
    if (node.kind === "list") return node.items.flatMap((item) => this.#presses(item));
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

  #reached(item: MapNode): CallDestination | undefined {
    const reaches = entry(item, "reaches");
    if (reaches === undefined || isNull(reaches.value)) return undefined;
    if (this.#settling.validity.faulty.has(reaches.value)) return undefined;
    const found = known(resolveDestination(reaches.value, reaches.key, this.#settling));
    return found && callDestination(found);
  }

  #heard(node: Node | undefined): CallRecording[] | undefined {
    if (node?.kind !== "list") return undefined;
    const { faulty } = this.#settling.validity;
    return node.items.flatMap((item) =>
      faulty.has(item) ? [] : (resolveRecording(item, this.#settling)?.value ?? []),
    );
  }
}

const expects = ["reaches", "via", "hears", "steps"];
const ways: readonly Via[] = ["option", "invalid", "timeout"];

export function viaOf(word: string | undefined): Via | undefined {
  return ways.find((way) => way === word);
}

function quoted(key: string): string {
  return /^[0-9]$/.test(key) ? key : `"${key}"`;
}

/** A test without a name is called after what the caller does. */
function described(press: readonly Press[]): string {
  return press.length === 0 ? "press nothing" : `press ${press.join(",")}`;
}
