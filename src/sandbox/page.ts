import type { Agent } from "../compile/agents.ts";
import { pictureStyle } from "../graph/svg.ts";
import { Html, html, nothing } from "../util/html.ts";
import { many } from "../util/many.ts";
import { policyHash } from "../util/policy-hash.ts";
import { bestFirst, comparable } from "../util/search.ts";
import type { SandboxRecord } from "./account.ts";
import type { Answer } from "./answer.ts";
import { type FaultRule, describeRule } from "./faults.ts";
import type { SandboxNumber } from "./lists.ts";
import {
  type Known,
  destinationWords,
  knownIn,
  leadsTo,
  named,
  numberWords,
} from "./page-known.ts";
import { closedArticle, menuArticle, picture, toggle } from "./page-menu.ts";
import { numberTable } from "./page-numbers.ts";
import { pageStyle } from "./page-style.ts";
import {
  type View,
  addressOf,
  countWords,
  liveSwitch,
  refreshSeconds,
  searchForm,
  short,
  viewOf,
} from "./page-view.ts";
import type { SandboxRequest } from "./request.ts";

interface PageContent {
  readonly records: readonly SandboxRecord[];
  readonly requests: readonly SandboxRequest[];
  readonly agents: readonly Agent[];
  /** Undefined if the sandbox does not offer phone numbers. */
  readonly numbers: readonly SandboxNumber[] | undefined;
  readonly dataFile: string | undefined;
  readonly faults: readonly FaultRule[];
  readonly query: URLSearchParams;
}

const maxMenus = 50;
/** Up to so many menus are open from the start. */
const maxOpen = 5;
const maxRequests = 50;

/** The page with the phone numbers, the menus created so far and the latest requests. */
export function sandboxPage(content: PageContent): Answer {
  const view = viewOf(content.query);
  return {
    status: 200,
    outcome: "page shown",
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      ...(view.live ? { refresh: String(refreshSeconds) } : {}),
    },
    body: page(content, view).text,
  };
}

// Not formatted, because the policy allows exactly this text.
const styleElement = new Html(`<style>${pageStyle}</style>`);

const policy = [
  "default-src 'none'",
  `style-src ${[pageStyle, pictureStyle].map(policyHash).join(" ")}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

function page(content: PageContent, view: View): Html {
  const { records, requests, numbers } = content;
  const searched = records.length + (numbers?.length ?? 0) > maxOpen || view.query !== "";
  const what = numbers === undefined ? "menus" : "menus and numbers";
  const known = knownIn({ ...content, numbers: numbers ?? [] }, (record) =>
    addressIn(record, content, view),
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${many(records.length, "menu")} · ivrctl sandbox</title>
        <link rel="icon" href="data:," />
        ${styleElement}
      </head>
      <body>
        <header>
          <h1>ivrctl sandbox</h1>
          <p>${where(content)}</p>
          ${faults(content.faults)}
          <nav aria-label="On this page">
            ${numbers === undefined ? nothing : html`<a href="#numbers">Phone numbers</a>`}
            <a href="#menus">Menus</a> <a href="#requests">Requests</a>
          </nav>
          ${liveSwitch(view)}
        </header>
        <main>
          ${searched ? searchForm(what, view) : nothing}
          ${numbers === undefined ? nothing : section("numbers", "Phone numbers", numberTable(numbers, known, view))}
          ${section("menus", "Menus", menus(content, known, view))}
          ${section("requests", "Latest requests", requestTable(requests))}
        </main>
      </body>
    </html> `;
}

function section(id: string, heading: string, content: Html): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content}
  </section>`;
}

function where({ dataFile, agents }: PageContent): Html {
  const stored =
    dataFile === undefined
      ? html`Menus are kept in memory and are lost when the sandbox stops.`
      : html`Menus are stored in <code>${dataFile}</code>.`;
  return html`${stored} The agent list has ${many(agents.length, "agent")}.`;
}

function faults(rules: readonly FaultRule[]): Html {
  if (rules.length === 0) return nothing;
  const all = rules.map(
    (rule, at) => html`${at === 0 ? "" : ", "}<code>${describeRule(rule)}</code>`,
  );
  return html`<p><strong>Simulated faults:</strong> ${all}.</p>`;
}

function menus({ records, agents }: PageContent, known: Known, view: View): Html {
  if (records.length === 0) {
    return html`<p>No menus yet. A menu appears here when a client creates it.</p>`;
  }
  const alike = new Map<string, number>();
  for (const { payload } of records) {
    alike.set(payload.name, (alike.get(payload.name) ?? 0) + 1);
  }
  const found = foundIn(records, view, known);
  const newest = found.filter(
    ({ number }, at) => view.all || at < maxMenus || view.opened.has(number),
  );
  const counts = { shown: newest.length, found: found.length, all: records.length };
  const order = view.query === "" ? " The newest menu is first." : "";
  return html`<p>${countWords(counts, "menu", view)}${order}</p>
    ${newest.map((record) => {
      const own = alike.get(record.payload.name) ?? 1;
      if (records.length > maxOpen && !view.opened.has(record.number))
        return closedArticle(record, own, view);
      const opening = records.length > maxOpen ? toggle(record, view) : named(record);
      return menuArticle(record, known, own, { opening, picture: picture(record, agents, view) });
    })}`;
}

/** The address of this page with a menu open. */
function addressIn(record: SandboxRecord, { records }: PageContent, view: View): string {
  if (records.length <= maxOpen && view.query === "") return `#menu-${record.number}`;
  const opened = new Set([...view.opened, record.number]);
  return addressOf({ ...view, query: "", opened }, record);
}

/** The menus that the search finds, newest first. */
function foundIn(
  records: readonly SandboxRecord[],
  { query }: View,
  known: Known,
): SandboxRecord[] {
  const searched = records.toReversed().map((record) => {
    const { name, description, destination } = record.payload;
    const others = destination.map((to) => destinationWords(to, known));
    const numbers = leadsTo(record, known).numbers.flatMap(numberWords);
    const all = [name, `menu ${record.number}`, description, ...others, ...numbers];
    const names = [comparable(name), String(record.number)];
    return { record, names, text: comparable(all.join("\n")) };
  });
  return bestFirst(searched, query).map(({ record }) => record);
}

function requestTable(requests: readonly SandboxRequest[]): Html {
  if (requests.length === 0) return html`<p>No requests since the sandbox started.</p>`;
  const last = requests.slice(-maxRequests).toReversed();
  return html`<div class="card">
    <table class="requests">
      <caption>
        ${last.length < requests.length ? `The latest ${last.length} of ${requests.length}` : "All"}
        requests since the sandbox started, newest first
      </caption>
      <thead>
        <tr>
          <th scope="col">Time (UTC)</th>
          <th scope="col">Request</th>
          <th scope="col">Answer</th>
        </tr>
      </thead>
      <tbody>
        ${last.map(requestRow)}
      </tbody>
    </table>
  </div>`;
}

function requestRow({ at, method, path, name, status, outcome, fault }: SandboxRequest): Html {
  const kind = status !== null && status < 300 ? "good" : "bad";
  return html`<tr>
    <td><time datetime="${at}">${at.slice(11, 19)}</time></td>
    <td>
      <code>${method} ${short(path)}</code>
      ${name === null ? nothing : html`<p><bdi>${short(name)}</bdi></p>`}
    </td>
    <td>
      <span class="${kind}">${status ?? "no answer"}</span> ${short(outcome)}
      ${fault === null ? nothing : html`<p>Simulated fault: <code>${fault}</code></p>`}
    </td>
  </tr> `;
}
