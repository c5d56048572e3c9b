import { render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { silence } from "../../call/simulated-call.ts";
import { visible } from "../../util/visible.ts";
import type { PreviewData } from "../data.ts";
import { MenuList, focusHeading } from "./list.tsx";
import { MenuPage } from "./menu-page.tsx";
import { Overview } from "./overview.tsx";
import { Findings, Marks, Section } from "./parts.tsx";
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

function App({ first }: { readonly first: PreviewData }) {
  const [data, setData] = useState(first);
  const [isAway, setAway] = useState(false);
  const [hash, setHash] = useState(location.hash);
  const [presses, setPresses] = useState<readonly Press[]>([]);
  const { menus, findings, base, live } = data;
  const project = useMemo(() => projectOf(data, setPresses), [data]);
  const isHome = /^#?\/?$/.test(hash);
  const tab = tabs.find(({ address }) => address === (isHome ? "#/" : hash));
  const { words = "Overview", Page = Overview } = tab ?? {};
  const menu =
    isHome && menus.length === 1 ? menus[0] : menus.find(({ key }) => menuAddress(key) === hash);
  const view = menu && viewOf(project, menu, presses);
  const current = view?.inside;
  const heading = current?.name ?? words;

  // Before the first paint: a key pressed on a page that shows must count.
  useLayoutEffect(() => {
    window.addEventListener("hashchange", () => {
      speechSynthesis?.cancel();
      setHash(location.hash);
      setPresses([]);
      window.scrollTo(0, 0);
      // After it is drawn: a screen reader reads the heading of what is opened.
      setTimeout(focusHeading);
    });
    document.addEventListener("keydown", (event) => {
      const { key: typed, ctrlKey, metaKey, altKey, repeat, target } = event;
      // A key that is held down counts once, as on a phone.
      if (ctrlKey || metaKey || altKey || repeat || target instanceof HTMLInputElement) return;
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
  return (
    <>
      <div class="side">
        <header>
          <button type="button" class="skip" onClick={focusHeading}>
            Skip to the menu
          </button>
          <h1>Phone menus</h1>
          {base !== null && (
            <p class="about">
              Compared with {base} {next && <a href={menuAddress(next.key)}>Next change</a>}
            </p>
          )}
          {live && (
            <p class={isAway ? "bad" : "good"} role="status">
              {isAway
                ? "The preview has stopped. This page no longer updates."
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
      </div>
      <div class="content">
        <main id="main">
          {menu === undefined && tab === undefined && (
            <p class="alert" role="alert">
              There is no menu with the key <code>{hash.replace(/^#\/?/, "")}</code>.
            </p>
          )}
          <article class={current?.isStale ? "stale" : ""}>
            <header>
              <h2 tabIndex={-1}>{heading}</h2>
              {current && (
                <p class="about">
                  <Marks menu={current} /> <code>{current.file}</code> <span>{current.owner}</span>
                </p>
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
      </div>
    </>
  );
}

const [embedded, page] = ["data", "page"].map((id) => document.getElementById(id));
if (page) render(<App first={read(embedded?.textContent ?? "")} />, page);
