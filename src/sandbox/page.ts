import { createHash } from "node:crypto";
import { agentWords } from "../call/words.ts";
import type { Agent } from "../compile/agents.ts";
import type { Answer } from "./answer.ts";
import { type FaultRule, describeFault } from "./faults.ts";
import { Html, html, nothing } from "../util/html.ts";
import { destinationsIn, menuDestination } from "../schema/wire.ts";
import { groupBy } from "../util/group-by.ts";
import { many } from "../util/many.ts";
import { pageLook } from "../views/page-style.ts";
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

const maxMenus = 200;
const maxOptions = 100;
const maxRequests = 50;
const refreshSeconds = 5;

/** The page with the menus created so far and the latest requests. */
export function sandboxPage(content: PageContent): Answer {
  const refreshing = content.query.has("refresh");
  return {
    status: 200,
    outcome: "page shown",
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      ...(refreshing ? { refresh: String(refreshSeconds) } : {}),
    },
    body: page(content, refreshing).text,
  };
}

const pageStyle = `${pageLook}
header, main { max-width: 72rem; margin: 0 auto; padding: 1rem 1.25rem; }
header { padding-bottom: 0; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 1rem 0 0; scroll-margin-top: 1rem; }
h3 { font-size: 1.1rem; margin: 0; scroll-margin-top: 2rem; }
article:has(h3:target) { border-color: var(--soft); }
header p, section > p, .when, caption, dt { color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
nav a { padding: .25rem 0; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.25rem; margin: .75rem 0; }
.alike { background: var(--alike); color: var(--alike-ink); border-radius: .25rem; padding: .25rem .6rem; }
.keys { list-style: none; margin: .6rem 0; padding: 0; }
.keys li { padding: .15rem 0; }
dl { margin: .6rem 0; }
dl div { display: grid; grid-template-columns: 10rem 1fr; gap: 0 1rem; }
dd { margin: 0; }
.when { font-size: .875rem; margin-bottom: 0; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; }
table { border-collapse: collapse; width: 100%; min-width: 58rem; font-size: .9rem; }
caption { text-align: left; padding: .6rem .75rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-top: 1px solid var(--line); }
th, td:first-child, td:nth-child(2), td:nth-child(4) { white-space: nowrap; }
td:nth-child(3) { min-width: 11rem; }
td:nth-child(6) { min-width: 10rem; }
.lost { color: var(--bad); font-weight: 600; }
@media (max-width: 36rem) { dl div { grid-template-columns: 1fr; } dd { margin-bottom: .35rem; } }
`;

// Not formatted, because the policy allows exactly this text.
const styleElement = new Html(`<style>${pageStyle}</style>`);

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(pageStyle).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function page(content: PageContent, refreshing: boolean): Html {
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
            <a href="#menus">Menus</a> <a href="#requests">Requests</a> ${
              refreshing
                ? html`<a href="/">Stop refreshing</a>`
                : html`<a href="/?refresh">Refresh every ${refreshSeconds} seconds</a>`
            }
          </nav>
        </header>
        <main>
          <section aria-labelledby="menus">
            <h2 id="menus">Menus</h2>
            ${menus(content)}
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

function menus({ records, agents }: PageContent): Html {
  if (records.length === 0) {
    return html`<p>No menus yet. A menu appears here when a client creates it.</p>`;
  }
  const alike = new Map<string, number>();
  for (const { payload } of records) {
    alike.set(payload.name, (alike.get(payload.name) ?? 0) + 1);
  }
  const newest = records.slice(-maxMenus).toReversed();
  const links = newest.flatMap((record) =>
    [...new Set(destinationsIn(record.payload))].map((destination) => ({ record, destination })),
  );
  const known: Known = {
    agents: new Map(agents.map((agent) => [agent.eid ?? "", agent])),
    menus: new Map(newest.map((record) => [menuDestination(String(record.number)), record])),
    leaders: new Map(
      [...groupBy(links, ({ destination }) => destination)].map(([to, own]) => [
        to,
        own.map(({ record }) => record),
      ]),
    ),
  };
  const count =
    newest.length < records.length
      ? html`The latest ${newest.length} of ${records.length} menus, newest first.`
      : html`${many(records.length, "menu")}, newest first.`;
  return html`<p>${count}</p>
    ${newest.map((record) => menuArticle(record, known, alike.get(record.payload.name) ?? 1))}`;
}

/** What destinations lead to, and the menus that lead to each menu. */
interface Known {
  readonly agents: ReadonlyMap<string, Agent>;
  /** The menus on the page, by their destinations. */
  readonly menus: ReadonlyMap<string, SandboxRecord>;
  readonly leaders: ReadonlyMap<string, readonly SandboxRecord[]>;
}

/** The description of one menu. `alike` is the number of menus with this name. */
function menuArticle(record: SandboxRecord, known: Known, alike: number): Html {
  const { number, at, payload } = record;
  const id = `menu-${number}`;
  const to = (destination: string) => destinationLabel(destination, known);
  const leaders = known.leaders.get(menuDestination(String(number))) ?? [];
  const left = payload.option.length - maxOptions;
  return html`<article aria-labelledby="${id}">
    <h3 id="${id}"><bdi>${payload.name}</bdi></h3>
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
    ${leaders.length === 0 ? nothing : html`<p>Reached from ${leaders.map((leader, at) => html`${at === 0 ? "" : ", "}${menuLink(leader)}`)}.</p>`}
    <p class="when">
      Menu ${number}, created
      <time datetime="${at}">${at.slice(0, 19).replace("T", " ")} UTC</time>.
      <a href="/menus/${number}.svg" aria-label="Picture of menu ${number}">Picture</a>
    </p>
  </article> `;
}

/** How often the menu asks again: `, asks 2 more times (recording 19551)`. Empty without retries. */
function asksAgain(retries: string | number, recording?: string): string {
  if (Number(retries) === 0) return "";
  const times = Number(retries) === 1 ? "1 more time" : `${retries} more times`;
  return `, asks ${times}${recording === undefined ? "" : ` (recording ${recordingId(recording)})`}`;
}

function destinationLabel(destination: string, { agents, menus }: Known): Html {
  const menu = menus.get(destination);
  if (menu !== undefined) return menuLink(menu);
  const eid = eidOf(destination);
  if (destination.startsWith("ivr||")) return html`menu ${eid}`;
  if (destination === "hangup||1") return html`the call ends`;
  const agent = agents.get(eid);
  if (agent === undefined) return html`extension ${eid} (not on the agent list)`;
  const [name = "", ...marks] = agentWords(agent);
  return html`<bdi>${name}</bdi> (${marks.join(", ")})`;
}

/** A link to the description of a menu on this page. */
function menuLink({ number, payload }: SandboxRecord): Html {
  return html`<a href="#menu-${number}">menu ${number}, “<bdi>${payload.name}</bdi>”</a>`;
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
