import { describeTurn, nameOfDestination } from "../call/describe-call.ts";
import { type CallMenu, pathsOf } from "../model/call-menu.ts";

interface Menu {
  readonly key: string;
  readonly name: string;
  readonly owner?: string | undefined;
  /** Its phone numbers as people read them. */
  readonly numbers: readonly string[];
  readonly call?: CallMenu | undefined;
}

interface Result<M> {
  readonly menu: M;
  /** What contains the words that the name does not: `5 Billing → Asha Rao`. */
  readonly why: readonly string[];
}

/** What is shown of a menu, with other text by which it is found. */
interface Fact {
  readonly shown: string;
  readonly also?: string | null;
}

const mostReasons = 2;

/** The menus that contain every word of a query. Those with the words in their names come first, the shortest before. */
export function search<M extends Menu>(menus: readonly M[], query: string): Result<M>[] {
  const words = comparable(query).split(/\s+/).filter(Boolean);
  const hits = menus.flatMap((menu) => {
    const { key, name } = menu;
    const title = comparable(`${name}\n${key}`);
    const left = words.filter((word) => !title.includes(word));
    const matches = factsOf(menu).map(({ shown, also }) => {
      const text = comparable(`${shown}\n${also ?? ""}`);
      return { shown, has: left.filter((word) => text.includes(word)) };
    });
    if (!left.every((word) => matches.some(({ has }) => has.includes(word)))) return [];
    const best = matches
      .filter(({ has }) => has.length > 0)
      .toSorted((a, b) => b.has.length - a.has.length);
    // One fact with all words is better than several that have them together.
    const isOne = best[0]?.has.length === left.length;
    const why = best.slice(0, isOne ? 1 : mostReasons).map(({ shown }) => shown);
    const inName = words.length === 0 ? 0 : name.length;
    return [{ menu, why, rank: left.length === 0 ? inName : isOne ? 1e6 : 2e6 }];
  });
  return hits.toSorted((a, b) => a.rank - b.rank);
}

function factsOf({ numbers, owner = "", call }: Menu): Fact[] {
  return [
    ...numbers.map((shown) => ({ shown, also: shown.replaceAll(/[^+0-9]/g, "") })),
    ...(call ? pathsOf(call) : []).map((path) => {
      const { for: purpose, destination } = path;
      const does = [describeTurn(path), purpose ?? []].flat().join(" ");
      const also = destination.kind === "agent" ? destination.team : null;
      return { shown: `${does} → ${nameOfDestination(destination)}`, also };
    }),
    { shown: owner },
    { shown: call?.description ?? "" },
  ];
}

/** The text in lower case and without accents, so that it can be found from any keyboard. */
function comparable(text: string): string {
  const letters = text.normalize("NFKD").replace(/[\u0300-\u036F]/g, "");
  return letters.toLowerCase();
}
