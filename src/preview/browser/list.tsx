import type { RefObject, TargetedKeyboardEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { many } from "../../util/many.ts";
import { bestFirst } from "../../util/search.ts";
import type { PreviewMenu } from "../data.ts";
import { Marks } from "./parts.tsx";
import { addressOf, searchable } from "./search.ts";

interface MenuListProps {
  readonly menus: readonly PreviewMenu[];
  /** The menu on the page; undefined for the overview. */
  readonly current: string | undefined;
  readonly search: RefObject<HTMLInputElement | null>;
}

/** The menus where calls begin, then all others by folder, and a field to search them. */
export function MenuList({ menus, current, search }: MenuListProps) {
  const [query, setQuery] = useState("");
  /** Whether the list is shown on a small screen. */
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const texts = useMemo(() => menus.map((menu) => ({ menu, ...searchable(menu) })), [menus]);
  const found = bestFirst(texts, query).map(({ menu }) => menu);
  const groups = query.trim() === "" ? groupsOf(menus) : [{ title: undefined, menus: found }];
  const deleted = menus.filter(({ change }) => change?.kind === "deleted").length;
  useEffect(() => {
    setOpen(false);
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  useEffect(() => {
    if (query !== "") list.current?.scrollTo(0, 0);
  }, [query]);
  const inSearch = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter") list.current?.querySelector("a")?.click();
    else if (event.key === "Escape" && query !== "") {
      setQuery("");
      // Only an empty field loses the focus.
      event.stopPropagation();
    }
  };
  return (
    <nav class={isOpen || query !== "" ? "open" : ""} aria-label="Menus">
      <a class="home" href="#/" aria-current={current === undefined ? "page" : undefined}>
        All menus
      </a>
      <label for="search">Search menus</label>
      <input
        ref={search}
        type="search"
        id="search"
        placeholder="Name, key, owner, agent"
        autocomplete="off"
        spellcheck={false}
        aria-controls="menus"
        value={query}
        onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        onKeyDown={inSearch}
      />
      <div class="above">
        <p class="count" role="status">
          {found.length < menus.length
            ? `${found.length} of ${many(menus.length, "menu")}`
            : `${many(menus.length - deleted, "menu")}${deleted === 0 ? "" : `, ${deleted} deleted`}`}
        </p>
        <button
          type="button"
          class="toggle"
          aria-controls="menus"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide the list" : "Show the list"}
        </button>
      </div>
      <div id="menus" ref={list}>
        {groups.map(({ title, menus: own }) => (
          <div key={title ?? ""} class="group">
            {title !== undefined && <p class="group-title">{title}</p>}
            <ul>
              {own.map((menu) => (
                <Item key={menu.key} menu={menu} isCurrent={menu.key === current} />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

interface Group {
  /** Undefined if there is only one group. */
  readonly title: string | undefined;
  readonly menus: readonly PreviewMenu[];
}

function groupsOf(menus: readonly PreviewMenu[]): readonly Group[] {
  const groups = new Map<string, PreviewMenu[]>();
  const first = menus.filter(({ entry }) => entry);
  if (first.length > 0) groups.set("Calls begin here", first);
  for (const menu of menus) {
    if (menu.entry) continue;
    const folder = menu.key.split("/").slice(0, -1).join("/");
    const title = folder === "" ? "Other menus" : folder;
    const own = groups.get(title) ?? [];
    groups.set(title, own);
    own.push(menu);
  }
  const titled = [...groups].map(([title, own]) => ({ title, menus: own }));
  return titled.length === 1 ? titled.map((group) => ({ ...group, title: undefined })) : titled;
}

function Item({ menu, isCurrent }: { readonly menu: PreviewMenu; readonly isCurrent: boolean }) {
  const { key, name, owner } = menu;
  return (
    <li>
      <a href={addressOf(key)} aria-current={isCurrent ? "page" : undefined}>
        <bdi class="name">{name ?? key}</bdi>
        <span class="about">
          {name !== undefined && <code>{key}</code>}
          {owner !== undefined && " · "}
          <bdi>{owner}</bdi>
        </span>
        <Marks menu={menu} />
      </a>
    </li>
  );
}
