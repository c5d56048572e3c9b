import { nameOfDestination } from "../../call/words.ts";
import { type Searchable, comparable } from "../../util/search.ts";
import type { PreviewMenu } from "../data.ts";

/** The names of a menu, and all text that the search looks at. */
export function searchable(menu: PreviewMenu): Searchable {
  const names = [menu.key, menu.name].filter((name) => name !== undefined);
  return { names: names.map(comparable), text: searchText(menu) };
}

function searchText({ key, name, owner, description, call }: PreviewMenu): string {
  const paths = call === undefined ? [] : [...call.options, call.invalid, call.timeout];
  const words = [
    key,
    name,
    owner,
    description,
    ...(call?.options ?? []).map((option) => option.for),
    ...paths.map(({ destination }) => nameOfDestination(destination)),
    ...paths.map(({ destination }) => destination.kind === "agent" && destination.team),
  ];
  return comparable(words.filter((word) => typeof word === "string").join("\n"));
}

/** The fragment of the address that names a menu: `#/sales/india`. */
export function addressOf(key: string): string {
  return `#/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/** The key in a fragment; undefined if there is none. */
export function keyIn(hash: string): string | undefined {
  const path = /^#\/(.+)$/.exec(hash)?.[1];
  try {
    return path && decodeURIComponent(path);
  } catch {
    // A link that was cut in the middle of a character.
    return path;
  }
}
