import { render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { silence } from "../../call/simulated-call.ts";
import { visible } from "../../util/visible.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";
import { Editing, useServer } from "./editor.ts";
import { MenuList, focusHeading } from "./list.tsx";
import { Crumbs, MenuPage } from "./menu-page.tsx";
import { NewMenu } from "./new-menu.tsx";
import { Overview } from "./overview.tsx";
import { Findings, Marks, Section } from "./parts.tsx";
import { Review } from "./review.tsx";
import { People } from "./people.tsx";
import { Script } from "./script.tsx";
import { byNumberAndName, menuAddress, projectOf, viewOf } from "./view.ts";
import type { Press } from "../../model/call-menu.ts";

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

const tabs = [
  { address: "#/", words: "Overview", Page: Overview },
  { address: "#people", words: "People", Page: People },
  { address: "#recordings", words: "Recordings", Page: Script },
];
const newMenu = { address: "#new", words: "New menu", Page: NewMenu };

function App({ first }: { readonly first: PreviewData }) {
  const [data, setData] = useState(first);
  const [isAway, setAway] = useState(false);
  const [hash, setHash] = useState(location.hash);
  const [presses, setPresses] = useState<readonly Press[]>([]);
  const { menus, findings, base, live } = data;
  const project = useMemo(() => projectOf(data, setPresses), [data]);
  const isHome = /^#?\/?$/.test(hash);
  const tab = [...tabs, newMenu].find(({ address }) => address === (isHome ? "#/" : hash));
  const { words = "Overview", Page = Overview } = tab ?? {};
  const menu =
    isHome && menus.length === 1 ? menus[0] : menus.find(({ key }) => menuAddress(key) === hash);
  const view = menu && viewOf(project, menu, presses);
  const current = view?.menu;
  const editor = useServer(data);
  const undo = useRef(editor?.undo);
  undo.current = editor?.canUndo ? editor.undo : undefined;
  const [shown, setShown] = useState<"list" | "page" | "call">("page");
  const heading = current?.name ?? words;

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
      if (typed === "/") document.getElementById("search")?.focus();
      else if (typed === "r" || typed === "Escape") setPresses([]);
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

  const changed = menus.filter(({ change }) => change);
  const next = changed[changed.findIndex(({ key }) => key === current?.key) + 1] ?? changed[0];
  const views = [
    ...(menus.length > 1 ? [["list", "Menus"] as const] : []),
    ["page", view ? "This menu" : words] as const,
    ...(view?.calling ? [["call", "Try it"] as const] : []),
  ];
  return (
    <Editing.Provider value={editor}>
      <div class={`side ${shown === "list" ? "chosen" : ""}`}>
        <header>
          <button type="button" class="skip" onClick={focusHeading}>
            Skip to the menu
          </button>
          <p class="brand">Phone menus</p>
          {base !== null && (
            <p class="about">
              Compared with {base} {next && <a href={menuAddress(next.key)}>Next change</a>}
            </p>
          )}
          {live && (
            <p class={isAway ? "bad" : "good"} role="status">
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
        <div class="tabs" role="navigation" aria-label="Pages">
          {tabs.map((one) => (
            <a key={one} href={one.address} aria-current={one === tab ? "page" : undefined}>
              {one.words}
            </a>
          ))}
        </div>
        {menus.length > 1 && <MenuList menus={menus} current={current?.key} />}
        {editor && (
          <div class="new-menu" role="navigation" aria-label="New menu">
            <a href="#new">+ New menu</a>
          </div>
        )}
      </div>
      <div class={`content show-${shown}`}>
        <main id="main">
          {menu === undefined && tab === undefined && (
            <p class="alert" role="alert">
              There is no menu with the key <code>{hash.replace(/^#\/?/, "")}</code>.
            </p>
          )}
          <article class={current?.isStale ? "stale" : ""}>
            <header>
              {current && <Crumbs menu={current} around={project} />}
              <h1 tabIndex={-1}>{heading}</h1>
              {current && (
                <p class="about meta">
                  <Marks menu={current} /> <TestPill menu={current} /> <code>{current.file}</code>{" "}
                  <span>{current.owner}</span>
                </p>
              )}
              {current?.call && current.call.description !== current.name && (
                <p class="about">{current.call.description}</p>
              )}
            </header>
            {view ? <MenuPage key={view.menu.key} {...view} /> : <Page project={project} />}
          </article>
          {view && findings.length > 0 && (
            <Section id="project" heading="Problems in the project">
              <Findings findings={findings} />
            </Section>
          )}
        </main>
        {view?.calling && (
          <footer>
            <p class="shortcuts">
              <kbd>0-9 * #</kbd> press a key, <kbd>s</kbd> stay silent, <kbd>r</kbd> start again,{" "}
              <kbd>/</kbd> search
            </p>
            <p>
              The service's documentation does not say in which order recordings play. The order on
              this page is an assumption of ivrctl.
            </p>
          </footer>
        )}
        <Review project={project} />
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
  );
}

/** Whether the tests of a menu pass. */
function TestPill({ menu: { findings } }: { readonly menu: PreviewMenu }) {
  const passed = findings.filter(({ kind }) => kind === "passed").length;
  const isFailed = findings.some(({ kind }) => kind === "failed");
  return passed === 0 || isFailed ? null : <span class="pill ok">Tests pass</span>;
}

const [embedded, page] = ["data", "page"].map((id) => document.getElementById(id));
if (page) render(<App first={read(embedded?.textContent ?? "")} />, page);
