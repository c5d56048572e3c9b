import { asksAgain } from "../call/words.ts";
import type { Agent } from "../compile/agents.ts";
import { Html, html, nothing } from "../util/html.ts";
import { many } from "../util/many.ts";
import type { SandboxRecord } from "./account.ts";
import { recordingId } from "./check-payload.ts";
import { type Known, destinationLabel, named, reachedFrom } from "./page-known.ts";
import { pictureOf } from "./page-picture.ts";
import { type View, addressOf, short, toggled } from "./page-view.ts";

const maxOptions = 100;

/** The description of one menu. `alike` is the number of menus with this name. */
export function menuArticle(
  record: SandboxRecord,
  known: Known,
  alike: number,
  { opening, picture }: { readonly opening: Html; readonly picture: Html },
): Html {
  const { number, at, payload } = record;
  const id = `menu-${number}`;
  const to = (destination: string) => destinationLabel(destination, known);
  const left = payload.option.length - maxOptions;
  return html`<article aria-labelledby="${id}">
    <h3 id="${id}">${opening}</h3>
    <p class="when">
      Menu ${number}, created
      <time datetime="${at}">${at.slice(0, 19).replace("T", " ")} UTC</time>.
    </p>
    ${alike > 1 ? html`<p class="alike"><strong>${alike} live menus have this name.</strong> Creating a menu never replaces another one.</p>` : nothing}
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
          plays recording ${recordingId(payload.invalid_recording)}${again(payload.incorrect_count)}
          → ${to(payload.invalid_destination)}
        </dd>
      </div>
      <div>
        <dt>Silence</dt>
        <dd>
          waits ${payload.timeout}${again(payload.timeout_tries, payload.timeout_retry_recording)},
          then recording ${recordingId(payload.timeout_recording)} →
          ${to(payload.timeout_destination)}
        </dd>
      </div>
      ${extra("timeout_retries", payload.timeout_retries)}${extra("recording_invalid", payload.recording_invalid)}
    </dl>
    ${reachedFrom(record, known)} ${picture}
  </article> `;
}

/** How often the menu asks again: `, asks 2 more times (recording 19551)`. Empty without retries. */
function again(retries: string | number, recording?: string): string {
  const words = asksAgain(retries);
  if (words === undefined) return "";
  return `, ${words}${recording === undefined ? "" : ` (recording ${recordingId(recording)})`}`;
}

/** A menu of which only the most important is shown. */
export function closedArticle(record: SandboxRecord, alike: number, view: View): Html {
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

/** A link that opens or closes a menu. */
export function toggle(record: SandboxRecord, view: View): Html {
  const isOpen = view.opened.has(record.number);
  const href = addressOf({ ...view, opened: toggled(view.opened, record.number) }, record);
  return html`<a href="${href}" aria-expanded="${String(isOpen)}">${named(record)}</a>`;
}

/** The picture of a menu with a way to close it, or the way to open it. */
export function picture(record: SandboxRecord, agents: readonly Agent[], view: View): Html {
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
