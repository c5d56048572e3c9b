import type { CallMenu } from "../../call/model.ts";
import { onSilence, onWrongKey, triggerWords } from "../../call/words.ts";
import { type Child, h, name, section } from "./dom.ts";
import { heard, reached } from "./parts.ts";

/** The menu at a glance: every way out of it, and everything that is played. */
export function sheet({ recording, options, invalid, timeout }: CallMenu): HTMLElement {
  return section(
    "sheet",
    "Keys and ways",
    table(
      "Where each key leads",
      ["The caller", "Reaches"],
      [
        ...options.map((option): Row => [
          h(
            "span",
            { class: "trigger" },
            h("kbd", {}, option.key),
            option.for === undefined ? undefined : name(option.for),
          ),
          reached(option.destination),
        ]),
        [triggerWords(onWrongKey(invalid.retries)), reached(invalid.destination)],
        [triggerWords(onSilence(timeout.wait, timeout.retries)), reached(timeout.destination)],
      ],
    ),
    table(
      "What is played",
      ["When", "Recording"],
      [
        ["first", heard(recording)],
        ["at a wrong key", heard(invalid.recording)],
        ["at a silence", heard(timeout.retryRecording)],
        ["at the last silence", heard(timeout.recording)],
      ],
    ),
  );
}

type Row = readonly [Child, Child];

function table(caption: string, heads: readonly string[], rows: readonly Row[]): HTMLElement {
  return h(
    "table",
    {},
    h("caption", {}, caption),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((head) => h("th", { scope: "col" }, head)),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map(([what, comes]) => h("tr", {}, h("th", { scope: "row" }, what), h("td", {}, comes))),
    ),
  );
}
