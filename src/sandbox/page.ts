import { agentLines } from "../call/describe-call.ts";
import type { Agent } from "../project/agent-list.ts";
import { destinationParts, ownWords } from "../schema/destination-kinds.ts";
import { wireOf } from "../schema/fields.ts";
import { Html, html, nothing } from "../util/html.ts";
import { many } from "../util/many.ts";
import { phoneText } from "../util/phone.ts";
import { policyHash } from "../util/policy-hash.ts";
import { pageLook } from "../util/page-style.ts";
import type { MadeRecording, SandboxRecord } from "./account.ts";
import { toneOf } from "./tone.ts";
import type { SandboxNumber } from "./list-answers.ts";
import type { Answer, SandboxRequest } from "./http.ts";

interface PageContent {
  /** Oldest first. */
  readonly menus: readonly SandboxRecord[];
  /** Undefined if the sandbox does not offer phone numbers. */
  readonly numbers: readonly SandboxNumber[] | undefined;
  /** The recordings that requests made. Undefined if the sandbox does not offer that. */
  readonly recordings: readonly MadeRecording[] | undefined;
  readonly agents: readonly Agent[];
  readonly requests: readonly SandboxRequest[];
  readonly dataFile: string | undefined;
  readonly faults: readonly string[];
}

/** Up to so many menus are open from the start. */
const maxOpen = 5;
const maxRequests = 50;
/** Each has a sound file in the page. */
const maxRecordings = 20;

/** The page with the phone numbers, the menus and the latest requests. It has no script. */
export function sandboxPage(content: PageContent): Answer {
  const { menus, numbers, recordings, agents, requests, dataFile, faults } = content;
  const last = requests.slice(-maxRequests).toReversed();
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${many(menus.length, "menu")} · ivrctl sandbox</title>
        <link rel="icon" href="data:," />
        ${styleElement}
      </head>
      <body>
        <main>
          <h1>ivrctl sandbox</h1>
          <p class="soft">
            Menus are
            ${dataFile === undefined ? "kept in memory" : html`stored in <code>${dataFile}</code>`}.
            The agent list has ${many(agents.length, "agent")}.
          </p>
          ${faults.length === 0 ? nothing : html`<p class="faults"><strong>Faults in force:</strong> <code>${faults.join(", ")}</code></p>`}
          ${
            numbers === undefined
              ? nothing
              : html`<h2>Phone numbers</h2>
                  ${table(
                    ["Number", "A caller reaches"],
                    numbers.map((number) => numberRow(number, content)),
                  )}`
          }
          ${
            recordings === undefined
              ? nothing
              : html`<h2>Recordings</h2>
                  <p class="soft">
                    Newest first, at most ${maxRecordings}. A tone stands for the speech.
                  </p>
                  ${table(
                    ["Id", "Name", "Made from", "Sound"],
                    recordings.slice(-maxRecordings).toReversed().map(recordingRow),
                  )}`
          }
          <h2>Menus</h2>
          <p class="soft">
            ${menus.length === 0 ? "A menu appears here when a client creates it." : `${many(menus.length, "menu")}, newest first.`}
          </p>
          ${menus.toReversed().map((menu) => menuArticle(menu, content))}
          <h2>Requests</h2>
          <p class="soft">
            ${last.length < requests.length ? `The last ${last.length} of ` : ""}${many(requests.length, "request")},
            newest first.
          </p>
          ${last.length === 0 ? nothing : table(["Time (UTC)", "Request", "Answer"], last.map(requestRow))}
        </main>
      </body>
    </html> `;
  return {
    status: 200,
    outcome: "page shown",
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src ${policyHash(style)}; img-src data:; media-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "referrer-policy": "no-referrer",
    },
    body: page.text,
  };
}

function numberRow({ did, name, destination }: SandboxNumber, content: PageContent): Html {
  return html`<tr>
    <th scope="row">${phoneText(did)} <bdi class="soft">${name}</bdi></th>
    <td>${destination === null ? "nothing" : reached(destination, content)}</td>
  </tr> `;
}

function recordingRow({ id, audio_name: name, data }: MadeRecording): Html {
  return html`<tr>
    <th scope="row">${id}</th>
    <td><bdi>${name}</bdi></td>
    <td dir="auto">${data}</td>
    <td><audio controls src="${toneOf(data)}"></audio></td>
  </tr> `;
}

const destinationFields: ReadonlySet<string> = new Set(wireOf("destination"));

/** A menu with its keys, then the other fields of its payload. */
function menuArticle({ number, at, payload }: SandboxRecord, content: PageContent): Html {
  const { name, description, option, destination, sms_template: templates, ...others } = payload;
  const rows = [
    ...option.map((key, index) => {
      const sms = templates?.[index] || undefined;
      return [
        html`<kbd>${key}</kbd>`,
        html`→
        ${reached(destination[index] ?? "", content)}${sms === undefined ? "" : `, SMS template ${sms}`}`,
      ] as const;
    }),
    ...Object.entries(others).map(([field, value]) => {
      const isDestination = destinationFields.has(field);
      const about = isDestination ? html`→ ${reached(String(value), content)}` : html`${value}`;
      // A payload has only known fields. On a small screen they break after an underscore.
      return [new Html(field.replaceAll("_", "_<wbr>")), about] as const;
    }),
  ];
  return html`<details ${content.menus.length <= maxOpen ? new Html("open") : nothing}>
    <summary>
      <strong><bdi>${name}</bdi></strong>
      <span class="soft">menu ${number}, ${at.slice(0, 16).replace("T", " ")} UTC</span>
    </summary>
    <p id="menu-${number}"><bdi>${description}</bdi></p>
    <dl>
      ${rows.map(
        ([term, about]) =>
          html`<dt>${term}</dt>
            <dd>${about}</dd>`,
      )}
    </dl>
  </details> `;
}

/** What a caller reaches: a link to a menu, or an agent with a name. */
function reached(destination: string, { menus, agents }: PageContent): Html {
  const { kind, id } = destinationParts(destination);
  const agent = agents.find(({ eid }) => kind === "extension" && eid === id);
  if (agent !== undefined) {
    const [name = "", ...marks] = agentLines(agent);
    return html`<bdi>${name}</bdi> (${marks.join(", ")})`;
  }
  const menu = menus.find(({ number }) => kind === "ivr" && String(number) === id);
  if (menu !== undefined) {
    return html`<a href="#menu-${id}">menu ${id}, “<bdi>${menu.payload.name}</bdi>”</a>`;
  }
  if (kind !== "ivr" && kind !== "extension") {
    return html`${ownWords(kind, id, "reached") ?? `${kind} ${id}`}`;
  }
  const words = kind === "ivr" ? "menu" : kind;
  return html`<span class="bad">${words} ${id}, which does not exist</span>`;
}

function requestRow(request: SandboxRequest): Html {
  const { at, method, path, name, status, outcome, fault } = request;
  return html`<tr>
    <td><time datetime="${at}">${at.slice(11, 19)}</time></td>
    <td><code>${method} ${short(path)}</code> <bdi class="soft">${short(name ?? "")}</bdi></td>
    <td>
      <span class="${status === 200 ? "good" : "bad"}">${status ?? "no answer"}</span>
      ${short(outcome)}${fault === undefined ? nothing : html`, fault <code>${fault}</code>`}
    </td>
  </tr> `;
}

function table(columns: readonly string[], rows: readonly Html[]): Html {
  return html`<table>
    <thead>
      <tr>
        ${columns.map((column) => html`<th scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** Cuts a text that is too long for a table. */
function short(text: string): string {
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

const style = `${pageLook}
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 1.5rem 0 .5rem; }
.soft { color: var(--soft); font-weight: 400; }
.faults { background: var(--alike); color: var(--alike-ink); border-radius: .4rem; padding: .4rem .8rem; }
details, table { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
details { margin: .4rem 0; padding: 0 1rem; }
summary { padding: .4rem 0; cursor: pointer; }
summary .soft { font-size: .875rem; margin: 0 .5rem; }
details > p { scroll-margin-top: 4rem; }
dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: .25rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); }
dd { margin: 0; }
table { border-collapse: separate; border-spacing: 0; font-size: .9rem; }
th, td { padding: .4rem .75rem; }
thead th { border-top: 0; overflow-wrap: normal; }
td:first-child { width: 1%; overflow-wrap: normal; }
@media (max-width: 36rem) { th, td { padding: .4rem .5rem; } }
`;

// Not formatted, because the policy allows exactly this text.
const styleElement = new Html(`<style>${style}</style>`);
