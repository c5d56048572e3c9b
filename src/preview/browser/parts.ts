import { type CallDestination, type CallRecording, nameOf } from "../../call/model.ts";
import { type CallLine, destinationWords } from "../../views/call-lines.ts";
import { splitCommand } from "../../util/split-command.ts";
import type { PreviewProblem } from "../data.ts";
import { type Child, h, name, set } from "./dom.ts";

/** A recording, with its words if they are known. */
export function heard(recording: CallRecording): HTMLElement {
  const { says, seconds } = recording;
  const about = h("code", nameOf(recording) + (seconds === undefined ? "" : ` · ${seconds} s`));
  return says === undefined
    ? h("p.heard", "recording ", about)
    : h("p.heard", h("q", name(says)), " ", about);
}

/** The agent that a call reaches, or why it reaches no agent. */
export function reached(destination: CallDestination): HTMLElement {
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
    case "menu":
    case "other":
      return h("p.reached", h("strong", name(destinationWords(destination))));
    case "unreachable":
      return h("p.reached.bad", name(destinationWords(destination)));
  }
}

/** A line of a call. */
export function lineItem({ expected, what, text }: CallLine): HTMLElement {
  return h(expected ? "li.expected" : "li", h("span.what", what), " ", h("span", text));
}

/** Diagnostics with their source lines, as `validate` prints them. */
export function problemList(problems: readonly PreviewProblem[]): HTMLElement {
  return h(
    "ul.problems",
    problems.map(({ title, severity, message, place, frame, hint }) =>
      h(
        `li.${severity}`,
        h(
          "p",
          h("strong", `${severity === "info" ? "note" : severity} ${title}`),
          " ",
          worded(message),
        ),
        h("p.place", h("code", place)),
        frame !== undefined && set(h("pre", framed(frame)), { tabindex: "0" }),
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

/** Returns the lines with line breaks as elements, because `h` would make a line feed visible. */
function framed(frame: string): Child[] {
  return frame.split("\n").flatMap((line, at) => (at === 0 ? [line] : [h("br"), line]));
}
