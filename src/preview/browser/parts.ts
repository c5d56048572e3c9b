import {
  type CallDestination,
  type CallMenus,
  type CallRecording,
  nameOf,
} from "../../call/model.ts";
import { type CallLine, destinationWords } from "../../views/call-lines.ts";
import { severityWords } from "../../views/diagnostics/severity.ts";
import { splitCommand } from "../../util/split-command.ts";
import { many } from "../../util/many.ts";
import type { PreviewFrame, PreviewMenu, PreviewProblem } from "../data.ts";
import { type Child, h, link, name } from "./dom.ts";
import { addressOf } from "./search.ts";

/** A recording, with its words if they are known. */
export function heard(recording: CallRecording): HTMLElement {
  const { says, seconds } = recording;
  const about = h("code", nameOf(recording) + (seconds === undefined ? "" : ` · ${seconds} s`));
  return says === undefined
    ? h("p.heard", "recording ", about)
    : h("p.heard", h("q", name(says)), " ", about);
}

/** The agent or menu that a call reaches, or why it reaches none. */
export function reached(destination: CallDestination, menus?: CallMenus): HTMLElement {
  switch (destination.kind) {
    case "agent": {
      const { team, eid, blocked } = destination;
      return h(
        blocked ? "p.reached.bad" : "p.reached",
        h("strong", name(destination.name)),
        h("span", team === null ? undefined : [name(team), " · "], `extension ${eid}`),
        blocked && h("span.bad", "blocked: gets no calls"),
      );
    }
    case "menu": {
      const { key } = destination;
      const named = name(menus?.get(key)?.name ?? key);
      return h(
        "p.reached",
        h("strong", link(addressOf(key), named)),
        h("span", "menu ", h("code", key)),
      );
    }
    case "other":
      return h("p.reached", h("strong", name(destinationWords(destination))));
    case "unreachable":
      return h("p.reached.bad", name(destinationWords(destination)));
  }
}

/** A line of a call. `time` is shown below what the caller does. */
export function lineItem({ expected, what, text }: CallLine, time?: Child): HTMLElement {
  return h(expected ? "li.expected" : "li", h("span.what", what, time), " ", h("span", text));
}

/** What is wrong with a menu, the worst first: `2 errors`, `1 test failed`, `1 warning`. */
export function faultsOf({ problems, tests, broken }: PreviewMenu): Fault[] {
  const count = (severity: PreviewProblem["severity"]) =>
    problems.filter((problem) => problem.severity === severity).length;
  const failed = tests.filter(({ passed }) => !passed).length;
  const [errors, warnings, notes] = [count("error"), count("warning"), count("info")];
  const faults: Fault[] = [
    { look: "bad", count: errors, words: many(errors, "error") },
    { look: "bad", count: failed, words: `${many(failed, "test")} failed` },
    { look: "bad", count: broken.length, words: `${many(broken.length, "invariant")} broken` },
    { look: "warned", count: warnings, words: many(warnings, "warning") },
    { look: "about", count: notes, words: many(notes, "note") },
  ];
  return faults.filter(({ count }) => count > 0);
}

export interface Fault {
  readonly look: "bad" | "warned" | "about";
  readonly count: number;
  readonly words: string;
}

/** The faults of a menu in colors; undefined if it has none. Notes are not shown here. */
export function marksOf(menu: PreviewMenu): HTMLElement | undefined {
  const faults = faultsOf(menu).filter(({ look }) => look !== "about");
  if (faults.length === 0) return undefined;
  return h(
    "span.marks",
    faults.map(({ look, words }) => h(`span.${look}`, words)),
  );
}

/** How a menu differs from the revision that it is compared with. */
export function changeMark({ change }: PreviewMenu): HTMLElement | undefined {
  return change && h(`span.mark.${change.kind}`, change.kind);
}

/** The menus with changes first, those that callers notice before the others. */
export function changedFirst(menus: readonly PreviewMenu[]): PreviewMenu[] {
  const rank = ({ change }: PreviewMenu) =>
    change === undefined ? 4 : ["changed", "new", "deleted", "moved"].indexOf(change.kind);
  return [...menus].sort((a, b) => rank(a) - rank(b));
}

/** Diagnostics with their source lines, as `validate` prints them. */
export function problemList(problems: readonly PreviewProblem[]): HTMLElement {
  return h(
    "ul.problems",
    problems.map(({ title, severity, message, place, frame, hint }) =>
      h(
        `li.${severity}`,
        h("p", h("strong", `${severityWords[severity]} ${title}`), " ", worded(message)),
        h("p.place", h("code", place)),
        frame && h("pre", h("span.line", `${frame.line}`), h("code", framed(frame))),
        hint !== undefined && h("p", advised(hint)),
      ),
    ),
  );
}

/** Returns a hint, with the command at its end on its own line. */
function advised(hint: string): Child[] {
  const { words, command } = splitCommand(hint);
  return command === undefined ? worded(words) : [...worded(words), h("br"), h("code", command)];
}

/** Returns a text in which the parts between backticks are code. */
function worded(text: string): Child[] {
  const parts = text.split("`");
  return parts.length % 2 === 0
    ? [text]
    : parts.map((part, at) => (at % 2 === 0 ? part : h("code", part)));
}

/** Returns a source line. A position between two characters is marked with a sign. */
function framed({ before, marked, after }: PreviewFrame): Child[] {
  return [before.trimStart(), h("mark", marked === "" ? "‸" : marked), after.trimEnd()];
}
