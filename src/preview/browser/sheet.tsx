import type { ComponentChildren } from "preact";
import { type CallPath, type Row, pathRows, recordingRows, rows } from "../../call/compare.ts";
import type { CallRecording } from "../../call/model.ts";
import { triggerWords } from "../../call/words.ts";
import type { PreviewDifference } from "../data.ts";
import { Heard, Mark, Reached, Section } from "./parts.tsx";
import type { Callable } from "./versions.ts";

interface SheetProps {
  readonly now: Callable;
  readonly before: Callable | undefined;
  readonly others: readonly PreviewDifference[];
}

/** The menu at a glance: every path through it, and every recording. */
export function Sheet({ now, before, others }: SheetProps) {
  const values = (side: "before" | "after") =>
    others.flatMap(({ what, [side]: value }) => (value === null ? [] : [[what, value] as const]));
  const isCompared = before !== undefined;
  return (
    <Section id="sheet" heading="Keys and recordings">
      <Table
        caption="Where each key leads"
        heads={["The caller", "Reaches"]}
        rows={pathRows(now.menu, before?.menu)}
        isCompared={isCompared}
        head={(path) => <Trigger {...path} />}
        content={(path, side) => (
          <Reached destination={path.destination} around={side === "now" ? now : before} />
        )}
      />
      <Table
        caption="What is played"
        heads={["When", "Recording"]}
        rows={recordingRows(now.menu, before?.menu)}
        isCompared={isCompared}
        content={(recording: CallRecording) => <Heard recording={recording} />}
      />
      {others.length > 0 && (
        <Table
          caption="What else changes"
          heads={["Field", ""]}
          rows={rows(values("after"), values("before"))}
          isCompared
          content={(value: string) => <bdi>{value}</bdi>}
        />
      )}
    </Section>
  );
}

/** The words for everything that differs: `key 2`, `recording after a wrong key`. */
export function changedParts(now: Callable, before: Callable): string[] {
  const [paths, recordings] = [pathRows, recordingRows].map((rowsOf) =>
    rowsOf(now.menu, before.menu).flatMap(({ id, mark }) => (mark === undefined ? [] : id)),
  );
  return [...(paths ?? []), ...(recordings ?? []).map((when) => `recording ${when}`)];
}

function Trigger({ trigger }: CallPath) {
  const { keys, purpose } = trigger;
  if (keys.length === 0) return <>{triggerWords(trigger)}</>;
  return (
    <span class="trigger">
      <kbd>{keys}</kbd>
      {purpose !== undefined && <bdi>{purpose}</bdi>}
    </span>
  );
}

interface TableProps<T> {
  readonly caption: string;
  readonly heads: readonly [string, string];
  readonly rows: readonly Row<T>[];
  /** Whether both versions are shown side by side, with the differences marked. */
  readonly isCompared: boolean;
  /** The first cell. Default: what the row is, in words. */
  readonly head?: (value: T) => ComponentChildren;
  readonly content: (value: T, side: "now" | "before") => ComponentChildren;
}

function Table<T>({ caption, heads, rows: all, isCompared, head, content }: TableProps<T>) {
  const [first, last] = heads;
  const columns = isCompared ? [first, "Before", "Now"] : [first, last];
  return (
    <table class={isCompared ? "compared" : ""}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((text) => (
            <th key={text} scope="col">
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {all.map(({ id, now, before, mark }) => {
          const any = now ?? before;
          // The call begins with the greeting, so it is only printed, or shown if it differs.
          const look = mark === undefined ? (id === "at the start" ? "printed" : "") : "differs";
          return (
            <tr key={id} class={look}>
              <th scope="row">
                {head && any !== undefined ? head(any) : id} {mark && <Mark word={mark} />}
              </th>
              {isCompared && mark !== undefined && (
                <td>{before === undefined ? "–" : content(before, "before")}</td>
              )}
              <td>{now === undefined ? "–" : content(now, "now")}</td>
              {/* A row without differences does not repeat its text. */}
              {isCompared && mark === undefined && (
                <td>
                  <span class="about">unchanged</span>
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
