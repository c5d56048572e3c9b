import type { ComponentChildren, RenderableProps } from "preact";
import { aliasOrId } from "../../call/simulated-call.ts";
import { many } from "../../util/many.ts";
import type { CallLine } from "../../views/call-lines.ts";
import type { Finding, PreviewData, PreviewMenu } from "../data.ts";
import { type Within, menuAddress } from "./view.ts";
import type { CallRecording, Press } from "../../model/call-menu.ts";

type SectionProps = RenderableProps<{ readonly id: string; readonly heading: string }>;

/** A box of the page, with a heading that labels it for screen readers. */
export function Section({ id, heading, children }: SectionProps) {
  return (
    <section class={id} aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{heading}</h2>
      {children}
    </section>
  );
}

interface ListProps<T> {
  readonly look: string;
  readonly of: readonly T[];
  /** Default: the value is shown as it is. */
  readonly children?: (value: T) => ComponentChildren;
}

/** A list of values. */
export function List<T>({ look, of, children = String }: ListProps<T>) {
  return (
    <ul class={look}>
      {of.map((value, at) => (
        <li key={at}>{children(value)}</li>
      ))}
    </ul>
  );
}

/** A recording with its words if they are known, and whether it must be recorded again. */
export function Heard({ recording, around }: Within<{ recording: CallRecording }>) {
  const { id, says, language, seconds } = recording;
  const before = around.again.get(id);
  return (
    <p class="heard">
      {says === undefined ? (
        `recording ${aliasOrId(recording)}`
      ) : (
        <q lang={language} dir="auto">
          {says}
        </q>
      )}{" "}
      {seconds !== undefined && <code>{seconds} s</code>}{" "}
      {before !== undefined && <b class="warning">Record again. Until then it says: {before}</b>}
    </p>
  );
}

/** The lines of a call. */
export function Lines({ lines }: { readonly lines: readonly CallLine[] }) {
  return (
    <List look="walk" of={lines}>
      {({ expected, what, text }) => (
        <div class={expected ? "expected" : ""}>
          <b>{what}</b> <span>{text}</span>
        </div>
      )}
    </List>
  );
}

/** How many faults there are of each kind: `2 errors`, `1 test failed`. */
export function faultCounts(findings: readonly Finding[]): { kind: string; words: string }[] {
  return (["error", "failed", "warning"] as const).flatMap((kind) => {
    const count = findings.filter((finding) => finding.kind === kind).length;
    const words = many(count, kind === "failed" ? "failed test" : kind);
    return count === 0 ? [] : { kind, words };
  });
}

/** What has changed, or what is wrong, in one word. */
export function Mark({ word }: { readonly word: string }) {
  return <span class={`mark ${word}`}>{word}</span>;
}

/** How a menu differs from the other revision, and its errors and warnings. */
export function Marks({ menu: { change, findings } }: { readonly menu: PreviewMenu }) {
  return (
    <span class="marks">
      {change && <Mark word={change.kind} />}
      {faultCounts(findings).map(({ kind, words }) => (
        <span key={kind} class={kind}>
          {words}
        </span>
      ))}
    </span>
  );
}

interface FindingsProps {
  readonly findings: readonly Finding[];
  /** Presses the keys of a test. */
  readonly replay?: ((presses: readonly Press[]) => void) | undefined;
}

/** Problems with their source lines, as `validate` prints them, and tests with their calls. */
export function Findings({ findings, replay }: FindingsProps) {
  return (
    <List look="findings" of={findings}>
      {({ kind, title, text, menus = [], place, frame, hint, press, lines }) => (
        <div class={kind}>
          <p>
            <strong class={kind}>
              {kind === "failed" ? "Test failed:" : [kind, title].join(" ")}
            </strong>{" "}
            <Worded text={text} /> <Links menus={menus} />{" "}
            {menus.length < 2 && <code class="place">{place}</code>}{" "}
            {press && replay && (
              <button type="button" aria-label={`Replay ${text}`} onClick={() => replay(press)}>
                Replay
              </button>
            )}
          </p>
          {frame && menus.length < 2 && (
            <pre>
              <span class="line">{frame.line}</span>
              <code>
                {frame.before.trimStart()}
                {/* A position between two characters is marked with a sign. */}
                <mark>{frame.marked === "" ? "‸" : frame.marked}</mark>
                {frame.after.trimEnd()}
              </code>
            </pre>
          )}
          {/* Why a test failed is in its name. */}
          {lines && <Lines lines={lines.filter(({ what }) => what !== "failed")} />}
          {hint && (
            <p>
              <Worded text={hint} />
            </p>
          )}
        </div>
      )}
    </List>
  );
}

/** A text in which the parts between backticks are code. */
function Worded({ text }: { readonly text: string }) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return <span>{text}</span>;
  return (
    <span>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</span>
  );
}

interface LinksProps extends Pick<PreviewData, "menus"> {
  /** What follows each link. */
  readonly words?: (menu: PreviewMenu) => string;
}

export function Links({ menus, words }: LinksProps) {
  return menus.map((menu, at) => (
    <span key={menu.key}>
      {at > 0 && (words ? " · " : ", ")}
      <a href={menuAddress(menu.key)}>{menu.name}</a>
      {words?.(menu)}
    </span>
  ));
}
