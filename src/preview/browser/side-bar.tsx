import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { many } from "../../util/many.ts";
import { search } from "../../views/menu-search.ts";
import type { PreviewMenu } from "../data.ts";
import { type MenuGroup, groupMenus } from "./menu-tree.ts";
import { Button, Dot, faultOf } from "./parts.tsx";
import { useProject } from "./project.ts";
import { type PageProject, menuAddress } from "./view.ts";

interface SideBarProps {
  readonly pages: readonly SidePage[];
  /** The fragment of the address of the open page. */
  readonly open: string;
  /** The menu on the page, if it shows one. */
  readonly menu: string | undefined;
}

export interface SidePage {
  readonly address: string;
  readonly words: string;
  /** How much it has to show. Undefined if the side bar does not list it. */
  readonly countOf: (project: PageProject) => number | undefined;
}

/** The pages with their counts, the menus as a tree, and a field to search them. */
export function SideBar({ pages, open, menu }: SideBarProps) {
  const project = useProject();
  const [query, setQuery] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const counted = useMemo(
    () => pages.map((page) => ({ ...page, count: page.countOf(project) })),
    [project],
  );
  const onKey = ({ key }: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (key !== "Enter" && key !== "Escape") return;
    if (key === "Enter") list.current?.querySelector("a")?.click();
    setQuery("");
    focusHeading();
  };
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [menu]);
  return (
    <nav aria-label="Menus">
      <input
        type="search"
        id="search"
        aria-label="Search"
        placeholder="Number, person, menu"
        autocomplete="off"
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          list.current?.scrollTo(0, 0);
        }}
        onKeyDown={onKey}
      />
      <div id="menus" ref={list}>
        <p class="unseen" role="status">
          {query.trim() !== "" && many(search(project.data.menus, query).length, "result")}
        </p>
        {query.trim() === "" ? (
          <>
            <ul class="pages">
              {counted.map(({ address, words, count }) =>
                count === undefined ? null : (
                  <li key={address}>
                    <a href={address} aria-current={address === open ? "page" : undefined}>
                      <span class="name">{words}</span> <small>{count}</small>
                    </a>
                  </li>
                ),
              )}
            </ul>
            <Tree open={menu} />
          </>
        ) : (
          <Found query={query} open={menu} />
        )}
      </div>
    </nav>
  );
}

interface FoundProps {
  readonly query: string;
  readonly open: string | undefined;
}

function Found({ query, open }: FoundProps) {
  const { data } = useProject();
  return (
    <ul>
      {search(data.menus, query).map(({ menu, why }) => (
        <li key={menu.key}>
          <MenuLink menu={menu} isOpen={menu.key === open} />
          {why.map((words) => (
            <small key={words} class="why">
              {words}
            </small>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** The most menus of a project whose folders are all open at first. */
const mostOpen = 40;

function Tree({ open }: Pick<FoundProps, "open">) {
  const { menus } = useProject().data;
  const groups = useMemo(() => groupMenus(menus), [menus]);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const isOpen = ({ title, isFolder, members }: MenuGroup) =>
    !isFolder ||
    (menus.length <= mostOpen || members.some(({ menu }) => menu.key === open)) !==
      toggled.has(title);
  const toggle = (title: string) => {
    const next = new Set(toggled);
    if (!next.delete(title)) next.add(title);
    setToggled(next);
  };
  return groups.map((group) => {
    const { title, isFolder, members } = group;
    const id = `group ${title}`;
    return (
      <section key={title} aria-labelledby={id}>
        {isFolder ? (
          <Button
            look="group"
            id={id}
            isOpen={isOpen(group)}
            onClick={() => toggle(title)}
            words={
              <>
                <span>{title}</span> <small>{members.length}</small>
              </>
            }
          />
        ) : (
          <p class="group" id={id}>
            {title}
          </p>
        )}
        {isOpen(group) && (
          <ul>
            {members.map(({ menu, depth }) => (
              <li key={menu.key} class={`depth-${Math.min(depth, 3)}`}>
                <MenuLink menu={menu} isOpen={menu.key === open} />
              </li>
            ))}
          </ul>
        )}
      </section>
    );
  });
}

function MenuLink({ menu, isOpen }: { readonly menu: PreviewMenu; readonly isOpen: boolean }) {
  const { key, name, change } = menu;
  const { names, changedAlone } = useProject();
  const isShared = names.get(name)?.[1] !== undefined;
  return (
    <a
      href={menuAddress(key)}
      title={key}
      class={change?.kind === "deleted" ? "gone" : ""}
      aria-current={isOpen ? "page" : undefined}
    >
      <span class="name">{name}</span>
      {isShared && <small>{key}</small>}
      {/* What several menus share is one line on the page of changes, not a dot on each of them. */}
      {change && changedAlone.has(key) && <Dot look="changed" words={change.kind} />}
      {faultOf(menu)}
    </a>
  );
}

export function focusHeading(): void {
  document.querySelector<HTMLElement>("main h1")?.focus();
}
