import { render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Press, silence } from "../../call/model.ts";
import { many } from "../../util/many.ts";
import { visible } from "../../util/visible.ts";
import type { PreviewData } from "../data.ts";
import { MenuList } from "./list.tsx";
import { MenuPage } from "./menu-page.tsx";
import { Overview, ProjectProblems } from "./overview.tsx";
import { aroundOf, keyIn, viewOf } from "./view.ts";

/** Reads data of the page. Characters that reverse or hide the text around them are made visible. */
function read(json: string): PreviewData {
  return JSON.parse(json, (_, value: unknown) =>
    typeof value === "string" ? visible(value) : value,
  );
}

function App({ first }: { readonly first: PreviewData }) {
  const [data, setData] = useState(first);
  const [isAway, setAway] = useState(false);
  const [hash, setHash] = useState(location.hash);
  const [presses, setPresses] = useState<readonly Press[]>([]);
  const search = useRef<HTMLInputElement>(null);
  const [only, ...others] = data.menus;
  const key = keyIn(hash) ?? (others.length === 0 ? only?.key : undefined);
  const around = useMemo(() => aroundOf(data), [data]);
  const view = viewOf(data, around, key, presses);
  const press = (pressed: Press) =>
    setPresses((keys) =>
      viewOf(data, around, key, keys)?.call?.state.at === "ended" ? keys : [...keys, pressed],
    );
  // A key press does not draw the list again, which may be long.
  const current = view?.inside.key;
  const list = useMemo(
    () => <MenuList menus={data.menus} current={current} field={search} />,
    [data.menus, current],
  );
  const title = view === undefined ? "All menus" : (view.inside.name ?? view.inside.key);

  useEffect(() => {
    document.title = `${title} · ivrctl preview`;
  }, [title]);

  // Before the first paint: a key pressed on a page that shows must count.
  useLayoutEffect(() => {
    const onHash = () => {
      speechSynthesis?.cancel();
      setHash(location.hash);
      setPresses([]);
      window.scrollTo(0, 0);
    };
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, []);

  // The heading gets the focus, so that a screen reader reads it.
  const opened = useRef(hash);
  useEffect(() => {
    if (opened.current !== hash) focusHeading();
    opened.current = hash;
  }, [hash]);

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key: typed, ctrlKey, metaKey, altKey, repeat, target } = event;
      // A key that is held down counts once, as on a phone.
      if (ctrlKey || metaKey || altKey || repeat) return;
      if (target === search.current) {
        if (typed === "Escape") focusHeading();
        return;
      }
      const phoneKey = typed === "s" || typed === "_" ? silence : typed;
      if (typed === "/") search.current?.focus();
      else if (/^[0-9*#_]$/.test(phoneKey)) press(phoneKey);
      else if (typed === "r" || typed === "Escape") setPresses([]);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });

  useEffect(() => (data.live ? follow(setData, setAway) : undefined), []);

  const errors = data.problems.filter(({ severity }) => severity === "error").length;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the menu
      </a>
      <div class="side">
        <header>
          <h1>Phone menus</h1>
          {data.base !== null && (
            <p class="about">
              Compared with <bdi>{data.base}</bdi>
            </p>
          )}
          {data.live && (
            <p class={isAway ? "live away" : "live"} role="status">
              {isAway
                ? "The preview has stopped. This page no longer updates."
                : "Live: updates when files change"}
            </p>
          )}
        </header>
        {others.length > 0 && list}
      </div>
      <div class="content">
        <main id="main" tabIndex={-1}>
          {key !== undefined && view === undefined && (
            <p class="note" role="alert">
              There is no menu with the key <code>{visible(key)}</code>.
            </p>
          )}
          {view && errors > 0 && others.length > 0 && (
            <p class="note">
              <strong class="bad">{many(errors, "error")} in the project.</strong> See{" "}
              <a href="#/">all menus</a>.
            </p>
          )}
          {view && others.length === 0 && <ProjectProblems problems={data.problems} />}
          {view === undefined ? (
            <Overview data={data} />
          ) : (
            <MenuPage key={view.menu.key} view={view} onPress={press} onCall={setPresses} />
          )}
        </main>
        <Footer />
      </div>
    </>
  );
}

function focusHeading(): void {
  document.querySelector<HTMLElement>("main h2")?.focus();
}

function skip(event: Event): void {
  event.preventDefault();
  focusHeading();
}

/** Shows every change that the server sends, and reports whether the server is still running. */
function follow(show: (data: PreviewData) => void, report: (isAway: boolean) => void): () => void {
  const events = new EventSource("events");
  events.addEventListener("open", () => report(false));
  events.addEventListener("error", () => report(true));
  events.addEventListener("message", (event: MessageEvent<string>) => show(read(event.data)));
  return () => events.close();
}

const shortcuts = [
  ["0-9 * #", "press a key"],
  ["s", "stay silent"],
  ["r", "start again"],
  ["/", "search"],
] as const;

function Footer() {
  return (
    <footer>
      <p class="shortcuts">
        {shortcuts.map(([key, what]) => (
          <span key={key}>
            <kbd>{key}</kbd> {what}
          </span>
        ))}
      </p>
      <p>
        The service's documentation does not say in which order recordings play. The order on this
        page is an assumption of ivrctl.
      </p>
    </footer>
  );
}

const [embedded, page] = ["data", "page"].map((id) => document.getElementById(id));
if (page) render(<App first={read(embedded?.textContent ?? "")} />, page);
