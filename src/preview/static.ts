import type { CallMenu } from "../call/model.ts";
import { onKey, onSilence, onWrongKey, triggerWords } from "../call/words.ts";
import { Html, html, nothing } from "../util/html.ts";
import { destinationWords } from "../views/call-lines.ts";
import type { PreviewData, PreviewMenu, PreviewProblem } from "./data.ts";

/** What the page shows without its script: every menu with its paths and problems. */
export function staticContent({ menus, problems, base }: PreviewData): Html {
  return html`<p>
      This page needs JavaScript to call menus, draw them and compare them. The script is part of
      this file; nothing is loaded from the network. This is what it shows without it:
    </p>
    ${base === null ? nothing : html`<p>Compared with <bdi>${base.name}</bdi>.</p>`}
    ${problemItems(problems)} ${menus.map(menuPart)}`;
}

function menuPart({ key, name, file, change, call, problems }: PreviewMenu): Html {
  return html`<h2><bdi>${name ?? key}</bdi></h2>
    <p><code>${file}</code>${change === undefined ? "" : `, ${change.kind}`}</p>
    ${call === undefined ? nothing : pathItems(call)} ${problemItems(problems)}`;
}

function pathItems({ options, invalid, timeout }: CallMenu): Html {
  const paths = [
    ...options.map((option) => ({ ...option, trigger: onKey(option.key, option.for) })),
    { ...invalid, trigger: onWrongKey(invalid.retries) },
    { ...timeout, trigger: onSilence(timeout.wait, timeout.retries) },
  ];
  return html`<ul>
    ${paths.map(
      ({ trigger, destination }) =>
        html`<li>
          <bdi>${triggerWords(trigger)}</bdi> → <bdi>${destinationWords(destination)}</bdi>
        </li> `,
    )}
  </ul>`;
}

function problemItems(problems: readonly PreviewProblem[]): Html {
  if (problems.length === 0) return nothing;
  return html`<ul>
    ${problems.map(
      ({ severity, title, message, place }) =>
        html`<li>${severity} ${title} at ${place}: <bdi>${message}</bdi></li> `,
    )}
  </ul>`;
}
