import { createHash } from "node:crypto";
import type { Agent } from "../compile/agents.ts";
import type { Answer } from "./answer.ts";
import { type FaultRule, describeFault } from "./faults.ts";
import { Html, html, nothing } from "../util/html.ts";
import { menuArticle } from "./page-menu.ts";
import { pageStyle } from "./page-style.ts";
import type { SandboxRecord } from "./records.ts";
import type { SandboxRequest } from "./request.ts";

interface Shown {
  readonly records: readonly SandboxRecord[];
  readonly requests: readonly SandboxRequest[];
  readonly agents: readonly Agent[];
  readonly dataFile: string | undefined;
  readonly faults: readonly FaultRule[];
  readonly query: URLSearchParams;
}

const maxMenus = 200;
const maxRequests = 50;
const refreshSeconds = 5;

/** The menus created so far and the last requests, for a person. */
export function sandboxPage(shown: Shown): Answer {
  const refreshing = shown.query.has("refresh");
  return {
    status: 200,
    outcome: "page shown",
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      ...(refreshing ? { refresh: String(refreshSeconds) } : {}),
    },
    body: page(shown, refreshing).text,
  };
}

// As one piece: the policy allows this style to the letter.
const styleElement = new Html(`<style>${pageStyle}</style>`);

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(pageStyle).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function page(shown: Shown, refreshing: boolean): Html {
  const { records, requests } = shown;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>
          ${records.length === 1 ? "1 menu" : `${records.length} menus`} · ivrctl sandbox
        </title>
        <link rel="icon" href="data:," />
        ${styleElement}
      </head>
      <body>
        <header>
          <h1>ivrctl sandbox</h1>
          <p>${where(shown)} ${faults(shown.faults)}</p>
          <nav aria-label="This page">
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
            ${menus(shown)}
          </section>
          <section aria-labelledby="requests">
            <h2 id="requests">Last requests</h2>
            ${requests.length === 0 ? html`<p>None since this sandbox was started.</p>` : requestTable(requests)}
          </section>
        </main>
      </body>
    </html> `;
}

function where({ dataFile, agents }: Shown): Html {
  const kept =
    dataFile === undefined
      ? html`Menus are kept in memory, until it ends.`
      : html`Menus are kept in <code>${dataFile}</code>.`;
  return html`${kept} ${agents.length === 1 ? "1 agent" : `${agents.length} agents`}.`;
}

function faults(rules: readonly FaultRule[]): Html {
  if (rules.length === 0) return nothing;
  return html`<strong>Faults are played:</strong> ${rules.map(describeFault).join(", ")}.`;
}

function menus({ records, agents }: Shown): Html {
  if (records.length === 0) {
    return html`<p>None yet. A menu appears here as soon as a client has created it.</p>`;
  }
  const alike = new Map<string, number>();
  for (const { payload } of records) {
    alike.set(payload.name, (alike.get(payload.name) ?? 0) + 1);
  }
  const byEid = new Map(agents.map((agent) => [agent.eid ?? "", agent]));
  const newest = records.slice(-maxMenus).toReversed();
  const count =
    newest.length < records.length
      ? html`The newest ${newest.length} of ${records.length}, the newest first.`
      : html`${records.length}, the newest first.`;
  return html`<p>${count}</p>
    ${newest.map((record) => menuArticle(record, byEid, alike.get(record.payload.name) ?? 1))}`;
}

function requestTable(requests: readonly SandboxRequest[]): Html {
  const last = requests.slice(-maxRequests).toReversed();
  return html`<div class="scroll" role="region" aria-labelledby="how-many" tabindex="0">
    <table>
      <caption id="how-many">
        ${last.length < requests.length ? `The last ${last.length} of ${requests.length}` : "All"}
        since this sandbox was started, the newest first
      </caption>
      <thead>
        <tr>
          <th scope="col">Time (UTC)</th>
          <th scope="col">Request</th>
          <th scope="col">Menu</th>
          <th scope="col">Status</th>
          <th scope="col">Outcome</th>
          <th scope="col">Fault played</th>
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

/** A list is for looking over: what is far too long is cut, visibly. */
function short(text: string): string {
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
