import type { ComponentChildren } from "preact";
import { type CallDestination, type CallRecording, aliasOrId } from "../../call/model.ts";
import { type Around, destinationBox } from "../../graph/picture.ts";
import { many } from "../../util/many.ts";
import type { CallLine } from "../../views/call-lines.ts";
import { severityNames } from "../../views/diagnostics/severity.ts";
import type { PreviewMenu, PreviewProblem } from "../data.ts";
import { addressOf } from "./search.ts";

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
          <a href={addressOf(menu)}>
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

/** A line of a call. */
export function Line({ expected, what, text }: CallLine) {
  return (
    <li class={expected ? "expected" : ""}>
      <span class="what">{what}</span> <span>{text}</span>
    </li>
  );
}

interface Fault {
  readonly look: "bad" | "warned";
  readonly count: number;
  readonly words: string;
}

/** What is wrong with a menu, the worst first: `2 errors`, `1 test failed`, `1 warning`. */
export function faultsOf({ problems, tests, broken }: PreviewMenu): Fault[] {
  const failed = tests.filter(({ passed }) => !passed).length;
  const [errors, warnings] = [countOf(problems, "error"), countOf(problems, "warning")];
  const faults: Fault[] = [
    { look: "bad", count: errors, words: many(errors, "error") },
    { look: "bad", count: failed, words: `${many(failed, "test")} failed` },
    { look: "bad", count: broken.length, words: `${many(broken.length, "invariant")} broken` },
    { look: "warned", count: warnings, words: many(warnings, "warning") },
  ];
  return faults.filter(({ count }) => count > 0);
}

export function countOf(
  problems: readonly PreviewProblem[],
  severity: PreviewProblem["severity"],
): number {
  return problems.filter((problem) => problem.severity === severity).length;
}

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
  const faults = faultsOf(menu);
  const { change } = menu;
  if (faults.length === 0 && change === undefined) return null;
  return (
    <span class="marks">
      {change && <Mark word={change.kind} />}
      {faults.map(({ look, words }) => (
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
