import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { groupBy } from "../../util/group-by.ts";
import { search } from "../../views/menu-search.ts";
import { many } from "../../util/many.ts";
import type { PreviewMenu } from "../data.ts";
import { Marks } from "./parts.tsx";
import { compareNames, menuAddress } from "./view.ts";

interface MenuListProps {
  readonly menus: readonly PreviewMenu[];
  /** The menu on the page; undefined for the overview. */
  readonly current: string | undefined;
}

/** The menus where calls begin, then all others by folder, and a field to search them. */
export function MenuList({ menus, current }: MenuListProps) {
  const [query, setQuery] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const isSearch = query.trim() !== "";
  const found = search(menus, query);
  const groups = [...groupBy(found, ({ menu }) => groupOf(menu))].toSorted(
    ([a], [b]) => rankOf(a) - rankOf(b) || compareNames(a, b),
  );
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
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const onKey = ({ key }: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (key === "Enter") list.current?.querySelector("a")?.click();
    if (key !== "Escape") return;
    setQuery("");
    focusHeading();
  };
  return (
    <nav aria-label="Menus">
      <input
        type="search"
        id="search"
        aria-label="Search"
        placeholder="Number, person, menu, key"
        autocomplete="off"
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          list.current?.scrollTo(0, 0);
        }}
        onKeyDown={onKey}
      />
      <div id="menus" ref={list}>
        <p class="about" role="status">
          {isSearch && many(found.length, "result")}
        </p>
        {isSearch ? (
          <ul>{found.map(line)}</ul>
        ) : (
          groups.map(([title, members]) => (
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
          ))
        )}
      </div>
    </nav>
  );
}

export function focusHeading(): void {
  document.querySelector<HTMLElement>("main h1")?.focus();
}

const first = "Calls begin here";
const others = "Other menus";

function groupOf({ entry, key }: PreviewMenu): string {
  return entry ? first : key.includes("/") ? key.slice(0, key.lastIndexOf("/")) : others;
}

/** Folders come last. */
function rankOf(group: string): number {
  return [first, others, group].indexOf(group);
}

/** The most menus of a project whose folders are all open at first. */
const mostOpen = 40;
