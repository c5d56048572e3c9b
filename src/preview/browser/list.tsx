import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { groupBy } from "../../util/group-by.ts";
import { many } from "../../util/many.ts";
import type { PreviewMenu } from "../data.ts";
import { Marks } from "./parts.tsx";
import { menuAddress, search } from "./view.ts";

interface MenuListProps {
  readonly menus: readonly PreviewMenu[];
  /** The menu on the page; undefined for the overview. */
  readonly current: string | undefined;
}

/** The menus where calls begin, then all others by folder, and a field to search them. */
export function MenuList({ menus, current }: MenuListProps) {
  const [query, setQuery] = useState("");
  /** Whether the list is shown on a small screen. The overview begins with it, or with what changes. */
  const isFirst = current === undefined && menus.every(({ change }) => change === undefined);
  const [isOpen, setOpen] = useState(isFirst);
  const list = useRef<HTMLDivElement>(null);
  const isSearch = query.trim() !== "";
  const found = isSearch
    ? search(menus, query)
    : menus.toSorted((a, b) => Number(b.entry ?? false) - Number(a.entry ?? false));
  const groups = groupBy(found, (menu) => (isSearch ? "" : groupOf(menu)));
  useEffect(() => {
    setOpen(isFirst);
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
      <a class="home" href="#/" aria-current={current === undefined ? "page" : undefined}>
        All menus
      </a>
      <label for="search">Search menus</label>
      <input
        type="search"
        id="search"
        placeholder="Name, key, owner, agent"
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
        {[...groups].map(([title, members]) => (
          <div key={title}>
            {title !== "" && <p class="group-title">{title}</p>}
            <ul>
              {members.map((menu) => (
                <li key={menu.key}>
                  <a
                    href={menuAddress(menu.key)}
                    aria-current={menu.key === current ? "page" : undefined}
                  >
                    <span class="name">{menu.name ?? menu.key}</span>
                    <span class="about">
                      <code>{menu.name && menu.key}</code> <span>{menu.owner}</span>
                    </span>
                    <Marks menu={menu} />
                  </a>
                </li>
              ))}
            </ul>
          </div>
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
  return entry ? "Calls begin here" : folder === "" ? "Other menus" : folder;
}
