import { type ComponentType, render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { silence } from "../../call/simulated-call.ts";
import type { Press } from "../../model/call-menu.ts";
import { visible } from "../../util/visible.ts";
import type { PreviewData } from "../data.ts";
import { Changes, countOfChanges } from "./changes.tsx";
import { Editing, useServer } from "./editor.ts";
import { Flow } from "./flow.tsx";
import { MenuHeading, MenuPage } from "./menu-page.tsx";
import { NewMenu } from "./new-menu.tsx";
import { Numbers } from "./numbers.tsx";
import { People } from "./people.tsx";
import { Problems, problemsOf } from "./problems.tsx";
import { Recordings, recordingsOf } from "./recordings.tsx";
import { ReviewBar } from "./review-bar.tsx";
import { SideBar, type SidePage, focusHeading } from "./side-bar.tsx";
import { Around } from "./project.ts";
import { byNumberAndName, flowAddress, menuAddress, projectOf, viewOf } from "./view.ts";

/** Reads data of the page. Characters that reverse or hide the text around them are made visible. */
function read(json: string, before?: PreviewData): PreviewData {
  const data: PreviewData = JSON.parse(json, (_, value: unknown) =>
    typeof value === "string" ? visible(value) : value,
  );
  // A menu with errors keeps its last valid version.
  const last = new Map(before?.menus.map(({ key, call }) => [key, call]));
  const menus = data.menus.map((menu) => {
    const call = menu.call ?? last.get(menu.key) ?? menu.change?.before;
    return menu.call || !call ? menu : { ...menu, name: call.name, call, isStale: true };
  });
  return { ...data, menus: byNumberAndName(menus) };
}

/** The pages besides menus and flows, with what the side bar counts for those that it lists. */
const pages: readonly (SidePage & { readonly Page: ComponentType })[] = [
  pageAt("#changes", "Changes", Changes, ({ data }) =>
    data.base === null ? undefined : countOfChanges(data),
  ),
  pageAt("#numbers", "Numbers", Numbers, (all) => all.current.flatMap((one) => one.numbers).length),
  pageAt("#people", "People", People, ({ people }) => people.length),
  pageAt("#recordings", "Recordings", Recordings, (all) => recordingsOf(all).length),
  pageAt("#problems", "Problems", Problems, (all) => problemsOf(all).length || undefined),
  pageAt("#new", "New menu", NewMenu, () => undefined),
];

function pageAt(address: string, words: string, Page: ComponentType, countOf: SidePage["countOf"]) {
  return { address, words, Page, countOf };
}

/** The page that an address without a fragment opens. */
function homeOf({ menus, changes }: PreviewData): string {
  const [first, second] = menus;
  if (first && !second) return menuAddress(first.key);
  return changes.length > 0 ? "#changes" : "#numbers";
}

function App({ first }: { readonly first: PreviewData }) {
  const [data, setData] = useState(first);
  const [isAway, setAway] = useState(false);
  const [hash, setHash] = useState(location.hash);
  const [presses, setPresses] = useState<readonly Press[]>([]);
  const [shown, setShown] = useState<"list" | "page" | "call">("page");
  const { menus, base, environment, live } = data;
  const project = useMemo(() => projectOf(data, setPresses), [data]);
  const open = /^#?\/?$/.test(hash) ? homeOf(data) : hash;
  const page = pages.find(({ address }) => address === open);
  const menu = menus.find(({ key }) => menuAddress(key) === open);
  const flow = menus.find(({ key }) => flowAddress(key) === open);
  const view = menu && viewOf(project, menu, presses);
  const heading = menu?.name ?? (flow ? `Flow of ${flow.name}` : page?.words) ?? "Not found";
  const editor = useServer(data);
  const undo = useRef(editor?.undo);
  undo.current = editor?.canUndo ? editor.undo : undefined;

  // Before the first paint: a key pressed on a page that shows must count.
  useLayoutEffect(() => {
    window.addEventListener("hashchange", () => {
      speechSynthesis?.cancel();
      setHash(location.hash);
      setPresses([]);
      setShown("page");
      window.scrollTo(0, 0);
      // After it is drawn: a screen reader reads the heading of what is opened.
      setTimeout(focusHeading);
    });
    document.addEventListener("keydown", (event) => {
      const { key: typed, ctrlKey, metaKey, altKey, repeat, target } = event;
      // A key that is held down counts once, as on a phone.
      const isTyping = target instanceof Element && target.closest("form, input");
      if ((ctrlKey || metaKey) && typed === "z" && !isTyping) {
        undo.current?.();
        return event.preventDefault();
      }
      if (ctrlKey || metaKey || altKey || repeat || isTyping) return;
      const key = document.querySelector<HTMLElement>(
        `[data-press="${CSS.escape(typed === "s" ? silence : typed)}"]`,
      );
      if (typed === "/") {
        setShown("list");
        // After it is drawn: a small screen shows either the list or the page.
        setTimeout(() => document.querySelector<HTMLInputElement>("#search")?.select());
      } else if (typed === "r" || typed === "Escape") setPresses([]);
      else if (key) key.click();
      else return;
      event.preventDefault();
    });
    if (!live) return;
    const events = new EventSource("events");
    events.addEventListener("open", () => setAway(false));
    events.addEventListener("error", () => setAway(true));
    events.addEventListener("message", (event: MessageEvent<string>) =>
      setData((old) => read(event.data, old)),
    );
  }, []);

  useEffect(() => {
    document.title = `${heading} · ivrctl preview`;
  });

  const views = [
    ["list", "Menus"] as const,
    ["page", view ? "This menu" : (page?.words ?? "Flow")] as const,
    ...(view?.calling ? [["call", "Try it"] as const] : []),
  ];
  const about = [environment ?? [], base === null ? [] : `compared with ${base}`].flat();
  return (
    <Around.Provider value={project}>
      <Editing.Provider value={editor}>
        <div class={`side ${shown === "list" ? "chosen" : ""}`}>
          <header>
            <button type="button" class="skip" onClick={focusHeading}>
              Skip to the menu
            </button>
            <p class="brand">
              Phone menus <small>{about.join(" · ")}</small>
            </p>
            {live && (
              <p class={isAway ? "live bad" : "live"} role="status">
                {isAway
                  ? "The preview has stopped. This page no longer updates."
                  : editor
                    ? "Edits are written to your files"
                    : data.canEdit
                      ? "Open the address that ivrctl printed to edit"
                      : "Live: updates when files change"}
              </p>
            )}
          </header>
          <SideBar pages={pages} open={open} menu={menu?.key} />
          {editor && (
            <div role="navigation" aria-label="New menu">
              <a class="new-menu" href="#new">
                + New menu
              </a>
            </div>
          )}
        </div>
        <div class={`content show-${shown}`}>
          <main id="main">
            <article class={menu?.isStale ? "stale" : ""}>
              {view ? (
                <Around.Provider value={view.around} key={view.menu.key}>
                  <MenuHeading menu={view.menu} />
                  <MenuPage {...view} />
                </Around.Provider>
              ) : (
                <header>
                  <h1 tabIndex={-1}>{heading}</h1>
                </header>
              )}
              {flow && <Flow key={flow.key} menu={flow} />}
              {page && <page.Page />}
              {!menu && !flow && !page && (
                <p class="alert" role="alert">
                  There is no menu with the key <code>{hash.replace(/^#\/?/, "")}</code>.
                </p>
              )}
            </article>
          </main>
          <ReviewBar />
        </div>
        <div class="views" role="navigation" aria-label="Views">
          {views.map(([name, label]) => (
            <button
              key={name}
              type="button"
              aria-current={shown === name ? "page" : undefined}
              onClick={() => setShown(name)}
            >
              {label}
            </button>
          ))}
        </div>
      </Editing.Provider>
    </Around.Provider>
  );
}

const [embedded, place] = ["data", "page"].map((id) => document.getElementById(id));
if (place) render(<App first={read(embedded?.textContent ?? "")} />, place);
