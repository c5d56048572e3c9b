import { diffLines } from "diff";
import { payloadsOf } from "../../deploy/plan/plan.ts";
import { type Paint, visible } from "../terminal.ts";
import type { AnyChange } from "./details.ts";

/** What changes on the wire, line by line of the JSON. */
export function wireDiff(change: AnyChange, style: Paint): string[] {
  const { before, after } = payloadsOf(change);
  if (change.action === "move" || change.action === "restore") return [];
  const text = (payload: object | null) =>
    payload === null ? "" : `${JSON.stringify(payload, null, 2)}\n`;
  return diffLines(text(before), text(after)).flatMap(({ value, added, removed }) =>
    value
      .trimEnd()
      .split("\n")
      .map((line) => {
        const shown = visible(line);
        if (added) return style("green", `+ ${shown}`);
        return removed ? style("red", `- ${shown}`) : style("dim", `  ${shown}`);
      }),
  );
}
