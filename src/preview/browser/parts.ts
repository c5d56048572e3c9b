import type { CallDestination, CallRecording } from "../../call/model.ts";
import { nameOf } from "../../call/model.ts";
import { destinationWords } from "../../views/call-lines.ts";
import type { PreviewProblem } from "../data.ts";
import { type Child, h, name } from "./dom.ts";

/** A recording: in its own words where they are known. */
export function heard(recording: CallRecording): HTMLElement {
  const { says, seconds } = recording;
  const about = [nameOf(recording), ...(seconds === undefined ? [] : [`${seconds} s`])].join(" · ");
  return says === undefined
    ? h("p", { class: "heard" }, "recording ", h("code", {}, about))
    : h("p", { class: "heard" }, h("q", {}, name(says)), " ", h("code", {}, about));
}

/** Whom a call reaches, or why it reaches nobody. */
export function reached(destination: CallDestination): HTMLElement {
  switch (destination.kind) {
    case "agent": {
      const { team, eid, blocked } = destination;
      return h(
        "p",
        { class: blocked ? "reached bad" : "reached" },
        h("strong", {}, name(destination.name)),
        h("span", {}, team === null ? undefined : [name(team), " · "], `extension ${eid}`),
        blocked ? h("span", { class: "bad" }, "blocked: gets no calls") : undefined,
      );
    }
    case "other":
      return h("p", { class: "reached" }, h("strong", {}, name(destinationWords(destination))));
    case "nobody":
      return h("p", { class: "reached bad" }, name(destinationWords(destination)));
  }
}

/** What is wrong, at the very characters, as `validate` has it. */
export function problemList(problems: readonly PreviewProblem[]): HTMLElement {
  return h(
    "ul",
    { class: "problems" },
    problems.map(({ title, severity, message, place, frame, hint }) =>
      h(
        "li",
        { class: severity },
        h("p", {}, h("strong", {}, `${severity} ${title}`), " ", worded(message)),
        h("p", { class: "place" }, h("code", {}, place)),
        frame === undefined ? undefined : h("pre", { tabindex: "0" }, framed(frame)),
        hint === undefined ? undefined : h("p", {}, worded(hint)),
      ),
    ),
  );
}

/** What stands between backticks is code. */
function worded(text: string): Child[] {
  const parts = text.split("`");
  return parts.length % 2 === 0
    ? [text]
    : parts.map((part, at) => (at % 2 === 0 ? part : h("code", {}, part)));
}

/** Line by line: what is between them is ours, and no character to be made visible. */
function framed(frame: string): (string | Node)[] {
  return frame.split("\n").flatMap((line, at) => (at === 0 ? [line] : [h("br", {}), line]));
}
