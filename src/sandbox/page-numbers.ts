import { Html, html, nothing } from "../util/html.ts";
import { phoneText } from "../util/phone.ts";
import { bestFirst, comparable } from "../util/search.ts";
import type { SandboxNumber } from "./lists.ts";
import { type Known, destinationLabel, destinationWords, numberWords } from "./page-known.ts";
import { type View, countWords } from "./page-view.ts";

const maxNumbers = 50;

/** The phone numbers that the search finds, with what a caller of each reaches. */
export function numberTable(numbers: readonly SandboxNumber[], known: Known, view: View): Html {
  if (numbers.length === 0) return html`<p>The account has no phone numbers.</p>`;
  const searched = numbers.map((number) => {
    const to =
      number.destination === null ? "nothing" : destinationWords(number.destination, known);
    const words = numberWords(number);
    return { number, names: words.map(comparable), text: comparable([...words, to].join("\n")) };
  });
  const found = bestFirst(searched, view.query);
  const shown = view.all ? found : found.slice(0, maxNumbers);
  const counts = { shown: shown.length, found: found.length, all: numbers.length };
  const rows = shown.map(({ number }) => numberRow(number, known));
  return html`<p>${countWords(counts, "number", view)}</p>
    ${rows.length === 0 ? nothing : tableOf(rows)}`;
}

function tableOf(rows: readonly Html[]): Html {
  return html`<div class="card">
    <table>
      <thead>
        <tr>
          <th scope="col">Number</th>
          <th scope="col">A caller reaches</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function numberRow({ did, name, destination }: SandboxNumber, known: Known): Html {
  return html`<tr>
    <th scope="row">${phoneText(did)} <bdi class="when">${name}</bdi></th>
    <td>${destination === null ? "nothing" : destinationLabel(destination, known)}</td>
  </tr> `;
}
