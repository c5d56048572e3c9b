import { Html, html, nothing } from "../util/html.ts";
import { many } from "../util/many.ts";
import type { SandboxRecord } from "./account.ts";

/**
 * What the address of the page asks for. The page has no script, so everything that a reader opens is
 * part of the address. It stays open when the page refreshes.
 */
export interface View {
  readonly query: string;
  /** Whether the page refreshes. */
  readonly live: boolean;
  /** Whether to show all menus, however many there are. */
  readonly all: boolean;
  readonly opened: ReadonlySet<number>;
  /** The menus with a picture. */
  readonly pictured: ReadonlySet<number>;
}

export const refreshSeconds = 5;

export function viewOf(query: URLSearchParams): View {
  const numbers = (name: string) => new Set(query.getAll(name).map(Number));
  return {
    query: query.get("q")?.trim() ?? "",
    live: query.has("refresh"),
    all: query.has("all"),
    opened: numbers("open"),
    pictured: numbers("picture"),
  };
}

/** The address of a view, at a menu if there is one. */
export function addressOf(view: View, at?: SandboxRecord): string {
  const query = new URLSearchParams(fieldsOf(view)).toString();
  return `/${query === "" ? "" : `?${query}`}${at === undefined ? "" : `#menu-${at.number}`}`;
}

/** The numbers with this one added, or without it if it was there. */
export function toggled(numbers: ReadonlySet<number>, number: number): ReadonlySet<number> {
  return new Set(
    numbers.has(number) ? [...numbers].filter((own) => own !== number) : [...numbers, number],
  );
}

/** The switch for refreshing, with its state in words. */
export function liveSwitch(view: View): Html {
  const state = view.live ? `on, every ${refreshSeconds} seconds` : "off";
  return html`<form action="/">
    ${hidden({ ...view, live: !view.live })}
    <button role="switch" aria-checked="${String(view.live)}">Live refresh: ${state}</button>
  </form>`;
}

/** The search. `what` is what it looks for: `menus`. */
export function searchForm(what: string, view: View): Html {
  const clear = addressOf({ ...view, query: "" });
  return html`<form action="/" role="search">
    ${hidden({ ...view, query: "" })}
    <label for="q">Search ${what}</label>
    <input type="search" id="q" name="q" value="${view.query}" placeholder="Name, number, agent" />
    <button>Search</button>
    ${view.query === "" ? nothing : html`<a href="${clear}">Clear the search</a>`}
  </form>`;
}

interface Counts {
  readonly shown: number;
  readonly found: number;
  readonly all: number;
}

/** How many of the menus or numbers the page shows, with a link to all of them. */
export function countWords({ shown, found, all }: Counts, what: string, view: View): Html {
  const words =
    view.query === ""
      ? many(all, what)
      : `${many(found, what)} of ${all} found for “${view.query}”`;
  if (shown === found) return html`${words}.`;
  const more = html`<a href="${addressOf({ ...view, all: true })}">Show all ${found}</a>`;
  return html`The first ${shown} of ${words}. ${more}`;
}

/** Cuts a text that is too long for a table. */
export function short(text: string): string {
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

function hidden(view: View): readonly Html[] {
  return fieldsOf(view).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}

function fieldsOf({ query, live, all, opened, pictured }: View): [string, string][] {
  return [
    ...(query === "" ? [] : [["q", query] satisfies [string, string]]),
    ...(live ? [["refresh", "on"] satisfies [string, string]] : []),
    ...(all ? [["all", "on"] satisfies [string, string]] : []),
    ...[...opened].map((number): [string, string] => ["open", String(number)]),
    ...[...pictured].map((number): [string, string] => ["picture", String(number)]),
  ];
}
