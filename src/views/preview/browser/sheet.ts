import type { CallDestination, CallMenu, CallRecording } from "../../../call/model.ts";
import { onSilence, onWrongKey, triggerWords } from "../../../call/words.ts";
import { type Child, h, name, section } from "./dom.ts";
import { heard, reached } from "./parts.ts";

/** The menu at a glance: every way out of it, and everything that is played. */
export function sheet({ recording, options, invalid, timeout }: CallMenu): HTMLElement {
  return section(
    "sheet",
    "Keys and ways",
    table(
      "Where each key leads",
      ["The caller presses", "For", "Reaches"],
      [
        ...options.map((option) => [
          h("kbd", {}, option.key),
          option.for === undefined ? undefined : name(option.for),
          reached(option.destination),
        ]),
        otherwise(triggerWords(onWrongKey(invalid.retries)), invalid.destination),
        otherwise(triggerWords(onSilence(timeout.wait, timeout.retries)), timeout.destination),
      ],
    ),
    table(
      "What is played",
      ["When", "Recording"],
      [
        played("first", recording),
        played("at a wrong key", invalid.recording),
        played("at a silence", timeout.retryRecording),
        played("at the last silence", timeout.recording),
      ],
    ),
  );
}

type Cells = readonly Child[];

function otherwise(words: string, destination: CallDestination): Cells {
  return [h("em", {}, words), undefined, reached(destination)];
}

function played(when: string, recording: CallRecording): Cells {
  return [when, heard(recording)];
}

function table(caption: string, heads: readonly string[], rows: readonly Cells[]): HTMLElement {
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
      rows.map(([first, ...rest]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, first),
          rest.map((cell) => h("td", {}, cell)),
        ),
      ),
    ),
  );
}
