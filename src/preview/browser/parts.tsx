import type { ComponentChildren } from "preact";
import {
  type Around,
  type CallDestination,
  type CallRecording,
  aliasOrId,
} from "../../call/model.ts";
import { destinationBox } from "../../graph/picture.ts";
import { many } from "../../util/many.ts";
import type { CallLine } from "../../views/call-lines.ts";
import { severityNames } from "../../views/diagnostics/severity.ts";
import type { PreviewMenu, PreviewProblem } from "../data.ts";
import { menuAddress } from "./view.ts";

interface SectionProps {
  readonly id: string;
  readonly heading: string;
  readonly children: ComponentChildren;
}

/** A section of the page, with a heading that labels it for screen readers. */
export function Section({ id, heading, children }: SectionProps) {
  return (
    <section class={id} aria-labelledby={`${id}-heading`}>
      <h3 id={`${id}-heading`}>{heading}</h3>
      {children}
    </section>
  );
}

/** A recording, with its words if they are known. */
export function Heard({ recording }: { readonly recording: CallRecording }) {
  const { says, seconds } = recording;
  const about = (
    <code>{aliasOrId(recording) + (seconds === undefined ? "" : ` · ${seconds} s`)}</code>
  );
  return says === undefined ? (
    <p class="heard">recording {about}</p>
  ) : (
    <p class="heard">
      <q>
        <bdi>{says}</bdi>
      </q>{" "}
      {about}
    </p>
  );
}

interface ReachedProps {
  readonly destination: CallDestination;
  readonly around?: Around | undefined;
}

/** The agent or menu that a call reaches, or why it reaches none, as the picture shows it. */
export function Reached({ destination, around }: ReachedProps) {
  const { lines, mark, menu } = destinationBox(destination, around);
  const [name, ...about] = lines;
  return (
    <p class={mark === undefined ? "reached" : "reached bad"}>
      <strong>
        {menu === undefined ? (
          <bdi>{name}</bdi>
        ) : (
          <a href={menuAddress(menu)}>
            <bdi>{name}</bdi>
          </a>
        )}
      </strong>
      <span>
        <bdi>{about.join(" · ")}</bdi>
      </span>
    </p>
  );
}

/** The lines of a call. */
export function Lines({ lines }: { readonly lines: readonly CallLine[] }) {
  return (
    <ol class="walk">
      {lines.map(({ expected, what, text }, at) => (
        <li key={at} class={expected ? "expected" : ""}>
          <span class="what">{what}</span> <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}

/** Something that is wrong with a menu. */
interface Fault {
  readonly kind: "error" | "failed" | "warning";
  readonly text: string;
  readonly place: string;
}

/** What is wrong with a menu: errors, then failed tests, then warnings. */
export function menuFaults({ problems, tests }: Pick<PreviewMenu, "problems" | "tests">): Fault[] {
  const found = (kind: "error" | "warning") =>
    problems.flatMap(({ severity, message, place }) =>
      severity === kind ? { kind, text: message, place } : [],
    );
  const failed = tests.flatMap(({ lines, name, place }) =>
    lines ? { kind: "failed" as const, text: name, place } : [],
  );
  return [...found("error"), ...failed, ...found("warning")];
}

/** How many faults there are of each kind: `2 errors`, `1 test failed`. */
export function faultCounts(faults: readonly Fault[]): { look: string; words: string }[] {
  return (["error", "failed", "warning"] as const).flatMap((kind) => {
    const count = faults.filter((fault) => fault.kind === kind).length;
    const words = kind === "failed" ? `${many(count, "test")} failed` : many(count, kind);
    return count === 0 ? [] : { look: looks[kind], words };
  });
}

export const looks = { error: "bad", failed: "bad", warning: "warned" } as const;

/** What has changed, in one word: `new`. */
export function Mark({ word, look = word }: { readonly word: string; readonly look?: string }) {
  return <span class={`mark ${look}`}>{word}</span>;
}

/** What changes for callers, line by line. */
export function Changes({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ul class="reasons">
      {lines.map((line) => (
        <li key={line}>
          <bdi>{line}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** How a menu differs from the other revision, and its errors and warnings. */
export function Marks({ menu }: { readonly menu: PreviewMenu }) {
  const counts = faultCounts(menuFaults(menu));
  const { change } = menu;
  if (counts.length === 0 && change === undefined) return null;
  return (
    <span class="marks">
      {change && <Mark word={change.kind} />}
      {counts.map(({ look, words }) => (
        <span key={words} class={look}>
          {words}
        </span>
      ))}
    </span>
  );
}

/** Diagnostics with their source lines, as `validate` prints them. */
export function Problems({ problems }: { readonly problems: readonly PreviewProblem[] }) {
  return (
    <ul class="problems">
      {problems.map(({ title, severity, message, place, frame, hint }) => (
        <li key={`${place} ${message}`} class={severity}>
          <p>
            <strong>{`${severityNames[severity]} ${title}`}</strong> <Worded text={message} />
          </p>
          <p class="place">
            <code>{place}</code>
          </p>
          {frame && (
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
          {hint !== undefined && (
            <p>
              <Worded text={hint.words} />
              {hint.command !== undefined && (
                <>
                  <br />
                  <code>{hint.command}</code>
                </>
              )}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A text in which the parts between backticks are code. */
export function Worded({ text }: { readonly text: string }) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}
