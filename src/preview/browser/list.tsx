import type { RefObject, TargetedKeyboardEvent } from "preact";
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
  readonly field: RefObject<HTMLInputElement | null>;
}

/** The menus where calls begin, then all others by folder, and a field to search them. */
export function MenuList({ menus, current, field }: MenuListProps) {
  const [query, setQuery] = useState("");
  /** Whether the list is shown on a small screen. The overview begins with it. */
  const [isOpen, setOpen] = useState(current === undefined);
  const list = useRef<HTMLDivElement>(null);
  const found = search(menus, query);
  const groups = query.trim() === "" ? groupsOf(menus) : new Map([["", found]]);
  const deleted = menus.filter(({ change }) => change?.kind === "deleted").length;
  useEffect(() => {
    setOpen(current === undefined);
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
        ref={field}
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
        {[...groups].map(([title, own]) => (
          <div key={title} class="group">
            {groups.size > 1 && <p class="group-title">{title}</p>}
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

/** The menus by title: those where calls begin, then the others by folder. */
function groupsOf(menus: readonly PreviewMenu[]): ReadonlyMap<string, readonly PreviewMenu[]> {
  const [first, others] = [menus.filter(({ entry }) => entry), menus.filter(({ entry }) => !entry)];
  return groupBy([...first, ...others], ({ entry, key }) => {
    const folder = key.split("/").slice(0, -1).join("/");
    return entry ? "Calls begin here" : folder === "" ? "Other menus" : folder;
  });
}

function Item({ menu, isCurrent }: { readonly menu: PreviewMenu; readonly isCurrent: boolean }) {
  const { key, name, owner } = menu;
  return (
    <li>
      <a href={menuAddress(key)} aria-current={isCurrent ? "page" : undefined}>
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
