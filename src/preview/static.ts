import type { CallMenu } from "../call/model.ts";
import { triggerWords } from "../call/words.ts";
import { comparedPicture } from "../graph/compared.ts";
import { menuPicture } from "../graph/picture.ts";
import { Html, html, nothing } from "../util/html.ts";
import { severityWords } from "../views/diagnostics/severity.ts";
import type { PreviewData, PreviewMenu, PreviewProblem } from "./data.ts";

/** What the page shows without its script: every menu with its paths, differences and problems. */
export function staticContent({ menus, problems, base }: PreviewData): Html {
  const before = new Map(base?.menus.map((call) => [call.key, call]));
  return html`<p>
      This page needs JavaScript to call menus and to draw them. The script is part of this file;
      nothing is loaded from the network. This is what it shows without it.
    </p>
    ${base === null ? nothing : html`<p>Compared with <bdi>${base.name}</bdi>.</p>`}
    ${problemItems(problems)} ${menus.map((menu) => menuPart(menu, before))}`;
}

function menuPart(
  { key, name, file, change, call, problems }: PreviewMenu,
  before: ReadonlyMap<string, CallMenu>,
): Html {
  const old = change && before.get(change.from);
  return html`<h2><bdi>${name ?? key}</bdi></h2>
    <p><code>${file}</code>${change === undefined ? "" : `, ${change.kind}`}</p>
    ${pathItems(call, old)} ${problemItems(problems)}`;
}

/** The paths of a menu in words: `key 2 (Billing) → Ravi Kumar, Billing`. */
function pathItems(now: CallMenu | undefined, before: CallMenu | undefined): Html {
  const shown = now ?? before;
  if (shown === undefined) return nothing;
  const { menus, places, paths } =
    now && before ? comparedPicture(now, before).picture : menuPicture(shown);
  const boxes = [...menus, ...places];
  return html`<ul>
    ${paths.map((path) => {
      const place = boxes[path.to]?.lines.join(", ") ?? "";
      return html`<li><bdi>${triggerWords(path)}</bdi> → <bdi>${place}</bdi></li> `;
    })}
  </ul>`;
}

function problemItems(problems: readonly PreviewProblem[]): Html {
  if (problems.length === 0) return nothing;
  return html`<ul>
    ${problems.map(
      ({ severity, title, message, place }) =>
        html`<li>${severityWords[severity]} ${title} at ${place}: <bdi>${message}</bdi></li> `,
    )}
  </ul>`;
}
