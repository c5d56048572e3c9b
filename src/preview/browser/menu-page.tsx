import type { ComponentChildren } from "preact";
import { type Row, pathRows, recordingRows } from "../../call/compare.ts";
import type { CallPath, Press } from "../../call/model.ts";
import { triggerOf, describeTrigger } from "../../call/describe-call.ts";
import { FlowMap } from "./flow-map.tsx";
import { Findings, Heard, List, Mark, Marks, Reached, Section } from "./parts.tsx";
import { Phone } from "./phone.tsx";
import type { Calling, View } from "./view.ts";

/** One menu with a keypad to call it. Everything on the page is about the menu that the caller is in. */
export function MenuPage({ menu, inside, calling }: View) {
  const { name, key, file, owner, description, findings } = inside;
  const { kind, lines = [] } = menu.change ?? {};
  const tests = findings.filter(({ press }) => press);
  const problems = findings.filter(({ press }) => !press);
  const replay = (presses: readonly Press[]) => {
    calling?.around.start(presses);
    document.querySelector("section.call")?.scrollIntoView({ block: "nearest" });
  };
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>{name ?? key}</h2>
        <p class="about">
          <Marks menu={inside} /> <code>{file}</code> <span>{owner}</span>
        </p>
      </header>
      {/* About the first menu of a call, because the keys below must not move. */}
      {lines.length > 0 && (
        <Section
          id="changes"
          heading={`What changes for callers${inside === menu ? "" : ` of ${menu.name}`}`}
        >
          <List look="reasons" of={lines}>
            {(line) => <span>{line}</span>}
          </List>
        </Section>
      )}
      {calling && (
        <div class="on-map">
          <Section id="call" heading={`Call this menu${kind === "deleted" ? " as it was" : ""}`}>
            <Phone {...calling} menu={menu} />
          </Section>
          <Section id="picture" heading="Where calls go">
            <FlowMap first={menu} around={calling.around} call={calling.call} />
          </Section>
        </div>
      )}
      {description !== undefined && <p>{description}</p>}
      {calling && <Sheet {...calling} />}
      {problems.length > 0 && (
        <Section id="menu-problems" heading="Problems">
          <Findings findings={problems} />
          {calling === undefined && <p>Fix the errors to call this menu.</p>}
        </Section>
      )}
      {tests.length > 0 && (
        <Section id="tests" heading="Tests">
          {/* A replay begins in the first menu of the call. */}
          <Findings findings={tests} replay={inside === menu ? replay : undefined} />
        </Section>
      )}
    </article>
  );
}

/** The menu at a glance: every path through it, and every recording, with what has changed. */
function Sheet({ call: { menu }, past, around }: Calling) {
  return (
    <Section id="sheet" heading="Keys and recordings">
      <Table caption="Whom callers reach" rows={pathRows(menu, past)} head={Trigger}>
        {({ destination }) => <Reached destination={destination} around={around} />}
      </Table>
      <Table caption="What callers hear" rows={recordingRows(menu, past)}>
        {(recording) => <Heard recording={recording} />}
      </Table>
    </Section>
  );
}

function Trigger(path: CallPath) {
  if (path.key === undefined) return <>{describeTrigger(triggerOf(path))}</>;
  return (
    <>
      <kbd>{path.key}</kbd> <span>{path.for}</span>
    </>
  );
}

interface TableProps<T> {
  readonly caption: string;
  readonly rows: readonly Row<T>[];
  /** The first cell. Default: what the row is, in words. */
  readonly head?: (value: T) => ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

function Table<T>({ caption, rows, head, children }: TableProps<T>) {
  return (
    <table>
      <caption>{caption}</caption>
      <tbody>
        {rows.map(({ id, value, mark }) => (
          // The call begins with the greeting, so it is only printed, or shown if it differs.
          <tr key={id} class={mark ? "differs" : id === "at the start" ? "printed" : ""}>
            <th scope="row">
              {head?.(value) ?? id} {mark && <Mark word={mark} />}
            </th>
            <td>{children(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
