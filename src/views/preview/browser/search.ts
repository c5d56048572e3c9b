import type { CallDestination } from "../../../call/model.ts";
import type { PreviewMenu } from "../data.ts";

/** Everything by which somebody may look for a menu: who it is for, and whom it leads to. */
export function searchText({ key, name, owner, description, call }: PreviewMenu): string {
  const ways = call === undefined ? [] : [...call.options, call.invalid, call.timeout];
  const words = [
    key,
    name,
    owner,
    description,
    ...(call?.options ?? []).map((option) => option.for),
    ...ways.flatMap(({ destination }) => peopleWords(destination)),
  ];
  return comparable(words.filter((word) => word !== undefined).join("\n"));
}

/** Every word of the query stands in it somewhere. */
export function fits(text: string, query: string): boolean {
  return comparable(query)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function peopleWords(destination: CallDestination): (string | undefined)[] {
  return destination.kind === "agent"
    ? [destination.name, destination.team ?? undefined]
    : [destination.name];
}

/** Case and accents do not count: not every keyboard has them. */
function comparable(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036F]/g, "")
    .toLowerCase();
}
