import { createHash } from "node:crypto";
import { agentWords } from "../call/words.ts";
import type { Agent } from "../compile/agents.ts";
import type { Answer } from "./answer.ts";
import { type FaultRule, describeFault } from "./faults.ts";
import { Html, html, nothing } from "../util/html.ts";
import { destinationsIn, menuDestination } from "../schema/wire.ts";
import { groupBy } from "../util/group-by.ts";
import { many } from "../util/many.ts";
import { bestFirst, comparable } from "../util/search.ts";
import { pictureStyle } from "../graph/svg.ts";
import { pictureOf } from "./page-picture.ts";
import { pageStyle } from "./page-style.ts";
import {
  type View,
  addressOf,
  liveSwitch,
  refreshSeconds,
  searchForm,
  toggled,
  viewOf,
} from "./page-view.ts";
import { eidOf } from "./check-payload.ts";
import type { SandboxRecord } from "./account.ts";
import type { SandboxRequest } from "./request.ts";

interface PageContent {
  readonly records: readonly SandboxRecord[];
  readonly requests: readonly SandboxRequest[];
  readonly agents: readonly Agent[];
  readonly dataFile: string | undefined;
  readonly faults: readonly FaultRule[];
  readonly query: URLSearchParams;
}

const maxMenus = 50;
/** Up to so many menus are open from the start. */
const maxOpen = 5;
const maxOptions = 100;
const maxRequests = 50;

/** The page with the menus created so far and the latest requests. */
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
  `style-src ${[pageStyle, pictureStyle].map(hashOf).join(" ")}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

function page(content: PageContent, view: View): Html {
  const { records, requests } = content;
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
          <p>${where(content)} ${faults(content.faults)}</p>
          <nav aria-label="On this page">
            <a href="#menus">Menus</a> <a href="#requests">Requests</a>
          </nav>
          ${liveSwitch(view)}
        </header>
        <main>
          <section aria-labelledby="menus">
            <h2 id="menus">Menus</h2>
            ${records.length > maxOpen ? searchForm(view) : nothing} ${menus(content, view)}
          </section>
          <section aria-labelledby="requests">
            <h2 id="requests">Latest requests</h2>
            ${requests.length === 0 ? html`<p>No requests since the sandbox started.</p>` : requestTable(requests)}
          </section>
        </main>
      </body>
    </html> `;
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
  return html`<strong>Simulated faults:</strong> ${rules.map(describeFault).join(", ")}.`;
}

function menus({ records, agents }: PageContent, view: View): Html {
  if (records.length === 0) {
    return html`<p>No menus yet. A menu appears here when a client creates it.</p>`;
  }
  const alike = new Map<string, number>();
  for (const { payload } of records) {
    alike.set(payload.name, (alike.get(payload.name) ?? 0) + 1);
  }
  const known = knownIn(records, agents, view);
  const found = foundIn(records, view, known.agents);
  const newest = found.filter(
    ({ number }, at) => view.all || at < maxMenus || view.opened.has(number),
  );
  return html`<p>${countWords(newest.length, found.length, records.length, view)}</p>
    ${newest.map((record) => {
      const own = alike.get(record.payload.name) ?? 1;
      if (records.length > maxOpen && !view.opened.has(record.number))
        return closedArticle(record, own, view);
      const opening = records.length > maxOpen ? toggle(record, view) : named(record);
      return menuArticle(record, known, own, { opening, picture: picture(record, agents, view) });
    })}`;
}

function knownIn(records: readonly SandboxRecord[], agents: readonly Agent[], view: View): Known {
  const links = records.flatMap((record) =>
    [...new Set(destinationsIn(record.payload))].map((destination) => ({ record, destination })),
  );
  const open = ({ number }: SandboxRecord) => new Set([...view.opened, number]);
  return {
    agents: new Map(agents.map((agent) => [agent.eid ?? "", agent])),
    menus: new Map(records.map((record) => [menuDestination(String(record.number)), record])),
    leaders: new Map(
      [...groupBy(links, ({ destination }) => destination)].map(([to, own]) => [
        to,
        own.map(({ record }) => record),
      ]),
    ),
    address: (record) =>
      records.length > maxOpen
        ? addressOf({ ...view, query: "", opened: open(record) }, record)
        : `#menu-${record.number}`,
  };
}

/** The menus that the search finds, newest first. */
function foundIn(
  records: readonly SandboxRecord[],
  { query }: View,
  agents: Known["agents"],
): SandboxRecord[] {
  const newest = records.toReversed();
  if (query === "") return newest;
  const searched = newest.map((record) => {
    const { name, description, destination } = record.payload;
    const others = destination.map((to) => agents.get(eidOf(to))?.name ?? to);
    const text = comparable([name, `menu ${record.number}`, description, ...others].join("\n"));
    return { record, names: [comparable(name), String(record.number)], text };
  });
  return bestFirst(searched, query).map(({ record }) => record);
}

function countWords(shown: number, found: number, all: number, view: View): Html {
  const what =
    view.query === ""
      ? many(all, "menu")
      : `${many(found, "menu")} of ${all} found for “${view.query}”`;
  if (shown === found) return html`${what}${view.query === "" ? ", newest first" : ""}.`;
  const more = html`<a href="${addressOf({ ...view, all: true })}">Show all ${found}</a>`;
  return html`The latest ${shown} of ${what}. ${more}`;
}

/** A menu of which only the most important is shown. */
function closedArticle(record: SandboxRecord, alike: number, view: View): Html {
  const { number, at, payload } = record;
  const id = `menu-${number}`;
  const keys = payload.option.slice(0, maxOptions).join(" ");
  return html`<article class="closed" aria-labelledby="${id}">
    <h3 id="${id}">${toggle(record, view)}</h3>
    <p class="when">
      Menu ${number}, keys ${short(keys)}, ${at.slice(0, 16).replace("T", " ")} UTC
      ${alike > 1 ? html`<strong class="alike">${alike} have this name</strong>` : nothing}
    </p>
  </article> `;
}

function named({ payload }: SandboxRecord): Html {
  return html`<bdi>${payload.name}</bdi>`;
}

/** A link that opens or closes a menu. */
function toggle(record: SandboxRecord, view: View): Html {
  const isOpen = view.opened.has(record.number);
  const href = addressOf({ ...view, opened: toggled(view.opened, record.number) }, record);
  return html`<a href="${href}" aria-expanded="${String(isOpen)}">${named(record)}</a>`;
}

/** The picture of a menu with a way to close it, or the way to open it. */
function picture(record: SandboxRecord, agents: readonly Agent[], view: View): Html {
  const { number } = record;
  const href = addressOf({ ...view, pictured: toggled(view.pictured, number) }, record);
  const isShown = view.pictured.has(number);
  const words = isShown ? "Hide the picture" : "Show the picture";
  const link = html`<p><a href="${href}" aria-label="${words} of menu ${number}">${words}</a></p>`;
  if (!isShown) return link;
  const drawn = new Html(pictureOf(record, agents));
  const label = `Picture of menu ${number}`;
  return html`${link}
    <div class="scroll" role="region" aria-label="${label}" tabindex="0">${drawn}</div>`;
}

/** What destinations lead to, and the menus that lead to each menu. */
interface Known {
  readonly agents: ReadonlyMap<string, Agent>;
  /** By their destinations. */
  readonly menus: ReadonlyMap<string, SandboxRecord>;
  readonly leaders: ReadonlyMap<string, readonly SandboxRecord[]>;
  /** Where a menu is open on this page. */
  readonly address: (record: SandboxRecord) => string;
}

/** The description of one menu. `alike` is the number of menus with this name. */
function menuArticle(
  record: SandboxRecord,
  known: Known,
  alike: number,
  { opening, picture }: { readonly opening: Html; readonly picture: Html },
): Html {
  const { number, at, payload } = record;
  const id = `menu-${number}`;
  const to = (destination: string) => destinationLabel(destination, known);
  const leaders = known.leaders.get(menuDestination(String(number))) ?? [];
  const left = payload.option.length - maxOptions;
  return html`<article aria-labelledby="${id}">
    <h3 id="${id}">${opening}</h3>
    ${alike > 1 ? html`<p class="alike"><strong>${alike} live menus have this name.</strong> The service never replaces a menu.</p>` : nothing}
    <p><bdi>${payload.description}</bdi></p>
    <ul class="keys">
      ${payload.option
        .slice(0, maxOptions)
        .map(
          (key, index) =>
            html`<li>
              <kbd>${key}</kbd> →
              ${to(payload.destination[index] ?? "")}${sms(payload.sms_template?.[index])}
            </li> `,
        )}
    </ul>
    ${left > 0 ? html`<p>and ${many(left, "more option")}</p>` : nothing}
    <dl>
      <div>
        <dt>Greeting</dt>
        <dd>recording ${recordingId(payload.recording)}</dd>
      </div>
      <div>
        <dt>Wrong key</dt>
        <dd>
          plays recording
          ${recordingId(payload.invalid_recording)}${asksAgain(payload.incorrect_count)} →
          ${to(payload.invalid_destination)}
        </dd>
      </div>
      <div>
        <dt>Silence</dt>
        <dd>
          waits
          ${payload.timeout}${asksAgain(payload.timeout_tries, payload.timeout_retry_recording)},
          then recording ${recordingId(payload.timeout_recording)} →
          ${to(payload.timeout_destination)}
        </dd>
      </div>
      ${extra("timeout_retries", payload.timeout_retries)}${extra("recording_invalid", payload.recording_invalid)}
    </dl>
    ${leaders.length === 0 ? nothing : html`<p>Reached from ${leaders.map((leader, at) => html`${at === 0 ? "" : ", "}${menuLink(leader, known)}`)}.</p>`}
    <p class="when">
      Menu ${number}, created
      <time datetime="${at}">${at.slice(0, 19).replace("T", " ")} UTC</time>.
    </p>
    ${picture}
  </article> `;
}

/** How often the menu asks again: `, asks 2 more times (recording 19551)`. Empty without retries. */
function asksAgain(retries: string | number, recording?: string): string {
  if (Number(retries) === 0) return "";
  const times = Number(retries) === 1 ? "1 more time" : `${retries} more times`;
  return `, asks ${times}${recording === undefined ? "" : ` (recording ${recordingId(recording)})`}`;
}

function destinationLabel(destination: string, known: Known): Html {
  const { agents, menus } = known;
  const menu = menus.get(destination);
  if (menu !== undefined) return menuLink(menu, known);
  const eid = eidOf(destination);
  if (destination.startsWith("ivr||")) return html`menu ${eid}`;
  if (destination === "hangup||1") return html`the call ends`;
  const agent = agents.get(eid);
  if (agent === undefined) return html`extension ${eid} (not on the agent list)`;
  const [name = "", ...marks] = agentWords(agent);
  return html`<bdi>${name}</bdi> (${marks.join(", ")})`;
}

/** A link to the description of a menu on this page. */
function menuLink(record: SandboxRecord, { address }: Known): Html {
  const { number } = record;
  return html`<a href="${address(record)}">menu ${number}, “${named(record)}”</a>`;
}

function recordingId(text: string): string {
  return text.startsWith("recording||") ? eidOf(text) : text;
}

function sms(template: string | undefined): Html {
  return template === undefined || template === "" ? nothing : html`, SMS template ${template}`;
}

function extra(field: string, value: string | number | undefined): Html {
  return value === undefined
    ? nothing
    : html`<div>
        <dt><code>${field}</code></dt>
        <dd>${value}</dd>
      </div> `;
}

function requestTable(requests: readonly SandboxRequest[]): Html {
  const last = requests.slice(-maxRequests).toReversed();
  return html`<div class="scroll" role="region" aria-labelledby="requests-caption" tabindex="0">
    <table>
      <caption id="requests-caption">
        ${last.length < requests.length ? `The latest ${last.length} of ${requests.length}` : "All"}
        requests since the sandbox started, newest first
      </caption>
      <thead>
        <tr>
          <th scope="col">Time (UTC)</th>
          <th scope="col">Request</th>
          <th scope="col">Menu</th>
          <th scope="col">Status</th>
          <th scope="col">Outcome</th>
          <th scope="col">Simulated fault</th>
        </tr>
      </thead>
      <tbody>
        ${last.map(requestRow)}
      </tbody>
    </table>
  </div>`;
}

function requestRow({ at, method, path, name, status, outcome, fault }: SandboxRequest): Html {
  const kind = status === null ? "lost" : status < 300 ? "good" : "bad";
  return html`<tr>
    <td><time datetime="${at}">${at.slice(11, 19)}</time></td>
    <td><code>${method} ${short(path)}</code></td>
    <td><bdi>${short(name ?? "")}</bdi></td>
    <td><span class="${kind}">${status ?? "no answer"}</span></td>
    <td>${short(outcome)}</td>
    <td>${fault ?? ""}</td>
  </tr> `;
}

/** Cuts a text that is too long for a table. */
function short(text: string): string {
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
