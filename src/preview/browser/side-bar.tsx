import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { many } from "../../util/many.ts";
import { search } from "../../views/menu-search.ts";
import type { PreviewMenu } from "../data.ts";
import { type MenuGroup, groupMenus } from "./menu-tree.ts";
import { countOfChanges } from "./changes.tsx";
import { Dot } from "./parts.tsx";
import { problemsOf } from "./problems.tsx";
import { recordingsOf } from "./recordings.tsx";
import { type PageProject, type Within, menuAddress } from "./view.ts";

interface SideBarProps {
  /** The fragment of the address of the open page. */
  readonly open: string;
  /** The menu on the page, if it shows one. */
  readonly menu: string | undefined;
}

/** The pages with their counts, the menus as a tree, and a field to search them. */
export function SideBar({ open, menu, around }: Within<SideBarProps>) {
  const [query, setQuery] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const pages = useMemo(() => pagesOf(around), [around]);
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
          {query.trim() !== "" && many(search(around.data.menus, query).length, "result")}
        </p>
        {query.trim() === "" ? (
          <>
            <ul class="pages">
              {pages.map(({ address, words, count }) => (
                <li key={address}>
                  <a href={address} aria-current={address === open ? "page" : undefined}>
                    <span class="name">{words}</span> <small>{count}</small>
                  </a>
                </li>
              ))}
            </ul>
            <Tree open={menu} around={around} />
          </>
        ) : (
          <Found query={query} open={menu} around={around} />
        )}
      </div>
    </nav>
  );
}

function pagesOf(project: PageProject) {
  const { current, data, people } = project;
  const problems = problemsOf(project).length;
  return [
    ...(data.base === null
      ? []
      : [{ address: "#changes", words: "Changes", count: countOfChanges(data) }]),
    {
      address: "#numbers",
      words: "Numbers",
      count: current.flatMap(({ numbers }) => numbers).length,
    },
    { address: "#people", words: "People", count: people.length },
    { address: "#recordings", words: "Recordings", count: recordingsOf(project).length },
    ...(problems === 0 ? [] : [{ address: "#problems", words: "Problems", count: problems }]),
  ];
}

function Found({ query, open, around }: Within<{ query: string; open: string | undefined }>) {
  return (
    <ul>
      {search(around.data.menus, query).map(({ menu, why }) => (
        <li key={menu.key}>
          <MenuLink menu={menu} isOpen={menu.key === open} around={around} />
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

function Tree({ open, around }: Within<{ open: string | undefined }>) {
  const { menus } = around.data;
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
          <button
            type="button"
            class="group"
            id={id}
            aria-expanded={isOpen(group)}
            onClick={() => toggle(title)}
          >
            <span>{title}</span> <small>{members.length}</small>
          </button>
        ) : (
          <p class="group" id={id}>
            {title}
          </p>
        )}
        {isOpen(group) && (
          <ul>
            {members.map(({ menu, depth }) => (
              <li key={menu.key} class={`depth-${Math.min(depth, 3)}`}>
                <MenuLink menu={menu} isOpen={menu.key === open} around={around} />
              </li>
            ))}
          </ul>
        )}
      </section>
    );
  });
}

function MenuLink({ menu, isOpen, around }: Within<{ menu: PreviewMenu; isOpen: boolean }>) {
  const { key, name, change } = menu;
  const isShared = around.names.get(name)?.[1] !== undefined;
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
      {change && around.changedAlone.has(key) && <Dot look="changed" words={change.kind} />}
      {faultOf(menu)}
    </a>
  );
}

/** A red dot if a menu has errors or a test fails. Warnings have a page. */
export function faultOf({ findings }: PreviewMenu) {
  const count = (kind: string) => findings.filter((finding) => finding.kind === kind).length;
  const [errors, failed] = [count("error"), count("failed")];
  if (errors > 0) return <Dot look="error" words={many(errors, "error")} />;
  return failed > 0 ? <Dot look="failed" words={many(failed, "failed test")} /> : null;
}

export function focusHeading(): void {
  document.querySelector<HTMLElement>("main h1")?.focus();
}
