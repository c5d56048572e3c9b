import type { ComponentChildren } from "preact";
import { type Row, pathRows, recordingRows } from "../../call/compare.ts";
import {
  type Around,
  type Call,
  type CallMenu,
  type CallPath,
  pathName,
  pathsOf,
} from "../../call/model.ts";
import { triggerOf, describeTrigger } from "../../call/words.ts";
import { menuPicture } from "../../graph/picture.ts";
import { svg } from "../../graph/svg.ts";
import { Heard, Mark, Reached, Section } from "./parts.tsx";
import { menuAddress } from "./view.ts";

interface SheetProps {
  readonly menu: CallMenu;
  /** The menu at the other revision. */
  readonly before: CallMenu | undefined;
  readonly around: Around;
}

/** The menu at a glance: every path through it, and every recording, with what has changed. */
export function Sheet({ menu, before, around }: SheetProps) {
  return (
    <Section id="sheet" heading="Keys and recordings">
      <Table
        heads={["The caller", "Reaches"]}
        rows={pathRows(menu, before)}
        head={(path) => <Trigger {...path} />}
        content={({ destination }) => <Reached destination={destination} around={around} />}
      />
      <Table
        heads={["When", "The caller hears"]}
        rows={recordingRows(menu, before)}
        content={(recording) => <Heard recording={recording} />}
      />
    </Section>
  );
}

function Trigger(path: CallPath) {
  if (path.key === undefined) return <>{describeTrigger(triggerOf(path))}</>;
  return (
    <span class="trigger">
      <kbd>{path.key}</kbd> <bdi>{path.for}</bdi>
    </span>
  );
}

interface TableProps<T> {
  readonly heads: readonly [string, string];
  readonly rows: readonly Row<T>[];
  /** The first cell. Default: what the row is, in words. */
  readonly head?: (value: T) => ComponentChildren;
  readonly content: (value: T) => ComponentChildren;
}

function Table<T>({ heads, rows, head, content }: TableProps<T>) {
  return (
    <table>
      <thead>
        <tr>
          {heads.map((text) => (
            <th key={text} scope="col">
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, now, before, mark }) => {
          const value = now ?? before;
          if (value === undefined) return null;
          // The call begins with the greeting, so it is only printed, or shown if it differs.
          const look = mark === undefined ? (id === "at the start" ? "printed" : "") : "differs";
          return (
            <tr key={id} class={look}>
              <th scope="row">
                {head?.(value) ?? id} {mark && <Mark word={mark} />}
              </th>
              <td>{content(value)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** One menu as `ivrctl graph` draws it, with the path that a call has taken highlighted. */
export function Drawing({ call, around }: { readonly call: Call; readonly around: Around }) {
  const { menu, state, steps } = call;
  const last = state.at === "ended" ? steps.at(-1) : undefined;
  const name = last && pathName({ via: last.as, key: last.press });
  const taken = pathsOf(menu).findIndex((path) => pathName(path) === name);
  const picture = menuPicture(menu, around);
  // The call begins with the words of the greeting, so the picture does not repeat them.
  const menus = picture.menus.map((box) => ({ ...box, lines: box.lines.slice(0, 3) }));
  const text = svg({ ...picture, menus }, { taken, addressOf: menuAddress });
  return (
    <section class="picture" aria-labelledby="picture-heading">
      <h3 id="picture-heading">Picture of the menu</h3>
      {/* All names in the picture are escaped. */}
      <div
        class="scroll"
        tabIndex={0}
        role="group"
        aria-label="Picture of the menu"
        dangerouslySetInnerHTML={{ __html: text }}
      />
    </section>
  );
}
