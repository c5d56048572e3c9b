import type { CallMenu } from "../../call/model.ts";
import { onSilence, onWrongKey, triggerWords } from "../../call/words.ts";
import type { PreviewDifference } from "../data.ts";
import { type Child, h, name, section, set } from "./dom.ts";
import { heard, reached } from "./parts.ts";
import type { Callable } from "./versions.ts";

interface Row {
  /** What the row is about. Rows of two menus with the same id are shown side by side. */
  readonly id: string;
  readonly head: Child;
  readonly content: Child;
  /** Two rows with the same value are equal. */
  readonly value: unknown;
}

/** The menu at a glance: every path through it, and every recording. */
export function sheet(
  now: Callable,
  before: Callable | undefined,
  others: readonly PreviewDifference[] = [],
): HTMLElement {
  return section(
    "sheet",
    "Keys and recordings",
    table(
      "Where each key leads",
      ["The caller", "Reaches"],
      pathRows(now),
      before && pathRows(before),
    ),
    table(
      "What is played",
      ["When", "Recording"],
      recordingRows(now.menu),
      before && recordingRows(before.menu),
    ),
    others.length > 0 &&
      table(
        "What else changes",
        ["Field", ""],
        otherRows(others, "after"),
        otherRows(others, "before"),
      ),
  );
}

/** The words for everything that differs: `key 2`, `after a wrong key`. */
export function changedParts(now: Callable, before: Callable): string[] {
  return [
    ...aligned(pathRows(now), pathRows(before)),
    ...aligned(recordingRows(now.menu), recordingRows(before.menu)),
  ].flatMap(({ id, mark }) => (mark === undefined ? [] : id));
}

function pathRows({ menu, menus }: Callable): Row[] {
  const { options, invalid, timeout } = menu;
  return [
    ...options.map((option): Row => {
      const purpose = option.for !== undefined && name(option.for);
      return {
        id: `key ${option.key}`,
        head: h("span.trigger", h("kbd", option.key), purpose),
        content: reached(option.destination, menus),
        value: option,
      };
    }),
    {
      id: "wrong key",
      head: triggerWords(onWrongKey(invalid.retries)),
      content: reached(invalid.destination, menus),
      value: [invalid.retries, invalid.destination],
    },
    {
      id: "silence",
      head: triggerWords(onSilence(timeout.wait, timeout.retries)),
      content: reached(timeout.destination, menus),
      value: [timeout.wait, timeout.retries, timeout.destination],
    },
  ];
}

function recordingRows({ recording, invalid, timeout }: CallMenu): Row[] {
  const rows = [
    ["greeting", "at the start", recording],
    ["recording after a wrong key", "after a wrong key", invalid.recording],
    ["recording after a silence", "after a silence", timeout.retryRecording],
    ["recording after the last silence", "after the last silence", timeout.recording],
  ] as const;
  return rows.map(([id, head, own]) => ({ id, head, content: heard(own), value: own }));
}

function otherRows(others: readonly PreviewDifference[], side: "before" | "after"): Row[] {
  return others.flatMap((difference) => {
    const value = difference[side];
    const { what } = difference;
    return value === null ? [] : { id: what, head: name(what), content: name(value), value };
  });
}

interface Aligned {
  readonly id: string;
  readonly now: Row | undefined;
  readonly before: Row | undefined;
  readonly mark: "new" | "changed" | "removed" | undefined;
}

/** The rows of both sides in the order of the current one, then those that were removed. */
function aligned(now: readonly Row[], before: readonly Row[]): Aligned[] {
  const ids = new Set([...now, ...before].map(({ id }) => id));
  return [...ids].map((id) => {
    const find = (rows: readonly Row[]) => rows.find((row) => row.id === id);
    const [is, was] = [find(now), find(before)];
    return { id, now: is, before: was, mark: markOf(is, was) };
  });
}

function markOf(now: Row | undefined, before: Row | undefined): Aligned["mark"] {
  if (before === undefined) return "new";
  if (now === undefined) return "removed";
  return JSON.stringify(now.value) === JSON.stringify(before.value) ? undefined : "changed";
}

/** A table of one menu, or of two menus side by side with the differences marked. */
function table(
  caption: string,
  [first, last]: readonly [string, string],
  now: readonly Row[],
  before: readonly Row[] | undefined,
): HTMLElement {
  const head = (scope: string, content: Child) => set(h("th", content), { scope });
  const heads = before === undefined ? [first, last] : [first, "Before", "Now"];
  const rows =
    before === undefined
      ? now.map((row) => h("tr", head("row", row.head), h("td", row.content)))
      : aligned(now, before).map((row) => {
          const { mark } = row;
          const shown = [
            row.now?.head ?? row.before?.head,
            mark && [" ", h(`span.mark.${mark}`, mark)],
          ];
          // A row without differences does not repeat its text.
          const now = mark ? (row.now?.content ?? "–") : h("span.about", "unchanged");
          const cells = [row.before?.content ?? "–", now].map((content) => h("td", content));
          return h(mark ? "tr.differs" : "tr", head("row", shown), cells);
        });
  return h(
    before === undefined ? "table" : "table.compared",
    h("caption", caption),
    h(
      "thead",
      h(
        "tr",
        heads.map((text) => head("col", text)),
      ),
    ),
    h("tbody", rows),
  );
}
