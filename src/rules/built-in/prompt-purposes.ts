import type { ResolvedOption } from "../../compile/compiled-menu.ts";

/** A key that the prompt announces for something else. */
export interface Misannounced {
  readonly key: string;
  /** What the prompt says that the key is for. */
  readonly says: string;
  /** The key that is for this, if one is. */
  readonly isFor: string | undefined;
  /** What the key is for. */
  readonly purpose: string;
}

/**
 * The keys that an English prompt announces for something else, as far as that is certain: its words have
 * nothing in common with the key's purpose and destination. Either they are the purpose of a different key,
 * which the prompt does not announce for it, or the prompt says most of the purposes in the menu's own words.
 */
export function misannounced(says: string, options: readonly ResolvedOption[]): Misannounced[] {
  const announced = purposesIn(says);
  if (announced === undefined) return [];
  const compared = options.flatMap((option) => {
    const words = announced.get(option.key);
    if (words === undefined || option.for === undefined) return [];
    const said = wordsIn(words);
    const purpose = option.for.value;
    const isOwn =
      shares(said, wordsIn(purpose)) ||
      shares(said, wordsIn(JSON.stringify(option.destination?.value ?? "")));
    return [{ option, words, purpose, isOwn }];
  });
  const differing = compared.filter(({ isOwn }) => !isOwn);
  const isVague = (announced: (typeof compared)[number]) =>
    isAnyone(announced.words) || isAnyone(announced.purpose);
  const strange = differing.filter((announced) => !isVague(announced)).length;
  const isUsual = strange <= compared.length - differing.length;
  return differing.flatMap((announced): Misannounced[] => {
    const { words, purpose } = announced;
    const { key } = announced.option;
    const other = options.find(
      (option) => option.key !== key && isSame(wordsIn(option.for?.value ?? ""), wordsIn(words)),
    );
    const isCertain = other
      ? !compared.some(({ option, isOwn }) => option === other && isOwn)
      : isUsual && !isVague(announced);
    return isCertain ? [{ key, says: words, isFor: other?.key, purpose }] : [];
  });
}

/** Whether words mean whoever answers: these have many names. */
function isAnyone(text: string): boolean {
  return wordsIn(text).every((word) => anyone.has(word));
}

const anyone = new Set(
  "operator receptionist reception front agent representative attendant somebody someone person human staff member assistance help support".split(
    " ",
  ),
);

const pressed = /\bpress ([0-9]|[*#])(?![ .:-]?[0-9])/gi;

/**
 * What each key is for in the words of a prompt: "For sales, press 1" or "Press 1 for sales", but never
 * both in one prompt. Undefined if it is not certain which words belong to which key.
 */
function purposesIn(says: string): ReadonlyMap<string, string> | undefined {
  const mentions = [...says.matchAll(pressed)];
  const isAfter = mentions.map(({ index, 0: all }) =>
    /^ (?:for|to) /i.test(says.slice(index + all.length)),
  );
  const before = mentions.map(({ index }, at) => {
    const last = mentions[at - 1];
    const start = last === undefined ? 0 : last.index + last[0].length;
    const [, words] =
      /(?:^|[.,;:!?]|\b(?:and|or)\b)\s*(?:for|to)\s+([^.,;:!?]+?),?\s*$/i.exec(
        says.slice(start, index),
      ) ?? [];
    return words;
  });
  const keys = mentions.map(([, key = ""]) => key);
  if (new Set(keys).size < keys.length) return undefined;
  if (isAfter.every(Boolean) && before[0] === undefined) {
    const after = mentions.map(({ index, 0: all }, at) => {
      const end = mentions[at + 1]?.index ?? says.length;
      return /^ (?:for|to) ([^.,;:!?]+)/i.exec(says.slice(index + all.length, end))?.[1];
    });
    return pairs(keys, after);
  }
  return isAfter.some(Boolean) ? undefined : pairs(keys, before);
}

function pairs(
  keys: readonly string[],
  words: readonly (string | undefined)[],
): ReadonlyMap<string, string> | undefined {
  const all = keys.flatMap((key, at) => {
    const text = words[at]?.replace(/\s+(?:and|or|please)$/i, "").trim();
    return text === undefined ? [] : [[key, text] as const];
  });
  return all.length < keys.length ? undefined : new Map(all);
}

/** The words that can tell purposes apart. */
function wordsIn(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}{2,}/gu) ?? [];
  return words.filter((word) => !filler.has(word));
}

const filler = new Set(
  "an the our your you my and or of in on at with from by to for us is are please team department desk line call calls speak talk connect reach option menu any other all queries query questions question enquiries inquiries related about".split(
    " ",
  ),
);

function shares(some: readonly string[], others: readonly string[]): boolean {
  return some.some((word) => others.some((other) => isAlike(word, other)));
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  const isIn = (words: readonly string[], all: readonly string[]) =>
    words.every((word) => all.some((other) => isAlike(word, other)));
  return some.length > 0 && isIn(some, others) && isIn(others, some);
}

/** Whether two words have the same stem: "bill" and "billing". */
function isAlike(word: string, other: string): boolean {
  const stem = (word: string) => word.slice(0, 4);
  return word === other || (word.length > 3 && other.length > 3 && stem(word) === stem(other));
}
