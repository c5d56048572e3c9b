import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { groupBy } from "../../util/group-by.ts";
import { search } from "../../views/menu-search.ts";
import { many } from "../../util/many.ts";
import type { PreviewMenu } from "../data.ts";
import { Marks } from "./parts.tsx";
import { byNumberAndName, menuAddress } from "./view.ts";

interface MenuListProps {
  readonly menus: readonly PreviewMenu[];
  /** The menu on the page; undefined for the overview. */
  readonly current: string | undefined;
}

/** The menus where calls begin, then all others by folder, and a field to search them. */
export function MenuList({ menus, current }: MenuListProps) {
  const [query, setQuery] = useState("");
  /** Whether the list is shown on a small screen. */
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const isSearch = query.trim() !== "";
  // A key of a call does not search again.
  const found = useMemo(() => search(byNumberAndName(menus), query), [menus, query]);
  const groups = groupBy(found, ({ menu }) => (isSearch ? "" : groupOf(menu)));
  const sameName = groupBy(menus, ({ name }) => name);
  const line = ({ menu, why }: (typeof found)[number]) => (
    <li key={menu.key}>
      <a
        href={menuAddress(menu.key)}
        title={menu.key}
        aria-current={menu.key === current ? "page" : undefined}
      >
        <span class="line">
          <span class="name">{menu.name}</span>
          {sameName.get(menu.name)?.[1] && <span class="about">{menu.key}</span>}
          <Marks menu={menu} />
        </span>
        {why.map((words) => (
          <span key={words} class="about why">
            {words}
          </span>
        ))}
      </a>
    </li>
  );
  useEffect(() => {
    setOpen(false);
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const onKey = ({ key }: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (key === "Enter") list.current?.querySelector("a")?.click();
    if (key !== "Escape") return;
    setQuery("");
    focusHeading();
  };
  return (
    <nav class={isOpen || isSearch ? "open" : ""} aria-label="Menus">
      <label for="search">Search</label>
      <input
        type="search"
        id="search"
        placeholder="Number, person, menu, key"
        autocomplete="off"
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          list.current?.scrollTo(0, 0);
        }}
        onKeyDown={onKey}
      />
      <button type="button" class="toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide the list" : "Show the list"}
      </button>
      <div id="menus" ref={list}>
        <p class="about" role="status">
          {isSearch && many(found.length, "result")}
        </p>
        {isSearch && <ul>{found.map(line)}</ul>}
        {!isSearch &&
          folders(groups).map(([title, members]) => (
            <details
              key={title}
              open={
                title === first ||
                menus.length <= mostOpen ||
                members.some(({ menu }) => menu.key === current)
              }
            >
              <summary>
                {title} <span class="about">{members.length}</span>
              </summary>
              <ul>{members.map(line)}</ul>
            </details>
          ))}
      </div>
    </nav>
  );
}

export function focusHeading(): void {
  document.querySelector<HTMLElement>("main h2")?.focus();
}

function groupOf({ entry, key }: PreviewMenu): string {
  const folder = key.split("/").slice(0, -1).join("/");
  return entry ? first : folder === "" ? "Other menus" : folder;
}

const first = "Calls begin here";

/** The menus where calls begin, then the folders in their order. */
function folders<T>(groups: ReadonlyMap<string, T>): [string, T][] {
  const rank = (title: string) => (title === first ? "" : title);
  return [...groups].toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

/** The most menus of a project whose folders are all open at first. */
const mostOpen = 40;
