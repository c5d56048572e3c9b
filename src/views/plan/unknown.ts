import { differences } from "../../deploy/plan/digest.ts";
import { needsId } from "../../deploy/state/records.ts";
import type { Confirmed, Pending } from "../../schema/state.ts";
import { type Argv, suggest } from "../../util/suggest.ts";
import { period, second } from "../../util/time.ts";
import { type Line, answerWords } from "../text.ts";
import { describeDifferences, pathsOf } from "./words.ts";

/** When a request with an unknown outcome was sent, and what to look for on the console. */
export function lookForLines(before: Confirmed | null, pending: Pending): Line[] {
  const { seen } = pending;
  const paths = pathsOf(pending).map(({ place, leads }) => `${place} → ${leads}`);
  // Another menu can have the same name.
  const id = pending.action === "delete" ? before?.identified?.id : undefined;
  const found = `“${pending.payload.name}”${id === undefined ? "" : ` (id ${id})`}`;
  return [
    [needsId(pending) ? `${pending.action} sent` : "sent", period(pending.sent_at, pending.until)],
    ["answer", seen ? answerWords(seen.status, seen.message) : "none was recorded"],
    ["look for", `${found} on the console, with ${paths.join(", ")}`],
    ...(before === null || needsId(pending) ? [] : oldMenuLines(before, pending)),
  ];
}

/** Describes the old menu of a replace, so that a person does not mistake it for the new one. */
function oldMenuLines(before: Confirmed, pending: Pending): Line[] {
  return [
    [
      "note",
      `The old menu, “${before.payload.name}”, created ${second(before.created_at)} UTC, is on the console too. The new one differs in:`,
    ],
    ...describeDifferences(differences(before.payload, pending.payload), before, pending).map(
      ({ text }): Line => ["", text],
    ),
  ];
}

/** The commands that resolve an unknown outcome, and when to use each. */
export function resolveCommands(
  key: string,
  environment: string,
  action: string = "create",
): { readonly when: string; readonly argv: Argv }[] {
  const resolve = (fate: string) => suggest("state resolve", [key], environment, [fate]);
  if (action === "delete") {
    return [
      { when: "If it is not on the console any more", argv: resolve("--absent") },
      {
        when: "If it is still there (it can be deleted again)",
        argv: resolve("--created"),
      },
    ];
  }
  if (action === "update") {
    return [
      { when: "If the console shows this content", argv: resolve("--created") },
      { when: "If not (the next plan offers the update again)", argv: resolve("--absent") },
    ];
  }
  return [
    { when: "If it is on the console", argv: resolve("--created") },
    { when: "If it is not (the next apply sends it again)", argv: resolve("--absent") },
  ];
}

/** What is not known after a request without an outcome. */
export function doubtWords(action?: string): string {
  if (action === "update") return "The menu exists, but the update may or may not have arrived.";
  if (action === "delete") return "The delete may or may not have arrived.";
  return action === "create" || action === "replace"
    ? "The menu may or may not exist."
    : "It is not known whether the request arrived.";
}
