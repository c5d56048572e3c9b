import { agentWords, afterRetries } from "../call/words.ts";
import type { Agent } from "../compile/agents.ts";
import { type Html, html, nothing } from "../util/html.ts";
import { eidOf } from "./judge.ts";
import type { SandboxRecord } from "./records.ts";

type AgentsByEid = ReadonlyMap<string, Agent>;

const maxOptions = 100;

/** One menu, as a person would read it. `alike` counts the menus of this name. */
export function menuArticle(record: SandboxRecord, agents: AgentsByEid, alike: number): Html {
  const { number, at, payload } = record;
  const id = `menu-${number}`;
  const to = (destination: string) => agentLabel(destination, agents);
  const left = payload.option.length - maxOptions;
  return html`<article aria-labelledby="${id}">
    <h3 id="${id}"><bdi>${payload.name}</bdi></h3>
    ${alike > 1 ? html`<p class="alike"><strong>${alike} live menus have this name.</strong> The service never replaces one.</p>` : nothing}
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
    ${left > 0 ? html`<p>and ${left} more</p>` : nothing}
    <dl>
      <div>
        <dt>Greeting</dt>
        <dd>recording ${recordingId(payload.recording)}</dd>
      </div>
      <div>
        <dt>Wrong key</dt>
        <dd>
          recording ${recordingId(payload.invalid_recording)},
          ${afterRetries(payload.incorrect_count)} → ${to(payload.invalid_destination)}
        </dd>
      </div>
      <div>
        <dt>Silence</dt>
        <dd>
          for ${payload.timeout}: recording ${recordingId(payload.timeout_retry_recording)},
          ${afterRetries(payload.timeout_tries)} recording ${recordingId(payload.timeout_recording)}
          → ${to(payload.timeout_destination)}
        </dd>
      </div>
      ${extra("timeout_retries", payload.timeout_retries)}${extra("recording_invalid", payload.recording_invalid)}
    </dl>
    <p class="when">
      Menu ${number}, created
      <time datetime="${at}">${at.slice(0, 19).replace("T", " ")} UTC</time>.
      <a href="/menus/${number}.svg" aria-label="Picture of menu ${number}">Picture</a>
    </p>
  </article> `;
}

function agentLabel(destination: string, agents: AgentsByEid): Html {
  const eid = eidOf(destination);
  const agent = agents.get(eid);
  if (agent === undefined) return html`extension ${eid} (not in the agent list)`;
  const [name = "", ...marks] = agentWords(agent);
  return html`<bdi>${name}</bdi> (${marks.join(", ")})`;
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
