import { type CallDestination, type CallMenu, type Press, type Via, silence } from "./model.ts";

/**
 * A way through a menu: where a call can land, and what callers do to get
 * there. Before the last press there may be wrong keys and silences in any
 * order and as many as the retries allow; none of them changes where the way
 * leads, so that its shortest and its longest call say all about it.
 */
export interface CallWay {
  readonly via: Via;
  /** The key pressed last; undefined where it is silence. */
  readonly key: Press | undefined;
  readonly destination: CallDestination;
  readonly shortest: readonly Press[];
  readonly longest: readonly Press[];
}

/** Every way, in the order of the keys; without that of wrong keys where there is no wrong key. */
export function waysOf(menu: CallMenu): CallWay[] {
  const { options, invalid, timeout } = menu;
  const wrong = wrongKey(menu);
  const wrongs = wrong === undefined ? [] : many(wrong, invalid.retries);
  const silences = many(silence, timeout.retries);
  const ways = options
    // Nobody can press what stands for silence.
    .filter(({ key }) => key !== silence)
    .map(({ key, destination }): CallWay => ({
      via: "option",
      key,
      destination,
      shortest: [key],
      longest: [...silences, ...wrongs, key],
    }));
  if (wrong !== undefined) {
    ways.push({
      via: "invalid",
      key: wrong,
      destination: invalid.destination,
      shortest: [...wrongs, wrong],
      longest: [...silences, ...wrongs, wrong],
    });
  }
  ways.push({
    via: "timeout",
    key: undefined,
    destination: timeout.destination,
    shortest: [...silences, silence],
    longest: [...wrongs, ...silences, silence],
  });
  return ways;
}

/** What a way is called: `key 2`, `invalid` or `timeout`. */
export function placeOfWay({ via, key }: Pick<CallWay, "via" | "key">): string {
  return via === "option" ? `key ${key}` : via;
}

/** The likeliest key of a telephone that the menu does not have; none where it has them all. */
function wrongKey({ options }: CallMenu): Press | undefined {
  const taken = new Set(options.map(({ key }) => key));
  return "9876543210#*".split("").find((key) => !taken.has(key));
}

function many(press: Press, count: number): Press[] {
  return Array.from({ length: count }, () => press);
}
