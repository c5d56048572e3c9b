import type { Rescued } from "../deploy/apply/apply-and-rescue.ts";
import type { Applied, Unrecorded } from "../deploy/apply/step-results.ts";
import type { Rescue } from "../schema/rescue.ts";
import { describeAnswer } from "../util/answer.ts";
import { type Argv, suggest } from "../util/suggest.ts";
import { type Matter, matter } from "../deploy/reasons/kinds.ts";
import { matterLines } from "./matter-lines.ts";
import type { Page } from "./terminal.ts";

/** The outcomes that could not be recorded, and how to record them. */
export function unrecordedText(
  { unrecorded, results }: Pick<Applied, "unrecorded" | "results">,
  rescued: Rescued | undefined,
  environment: string,
  page: Page,
): string {
  if (unrecorded.length === 0) return "";
  const { command } = page;
  const file = rescued?.file;
  const lines =
    rescued === undefined || file === undefined
      ? [
          "These outcomes could not be recorded in the state, and no rescue file could be written.",
          ...(rescued === undefined ? [] : rescueLines(rescued.rescue, environment, command)),
          "If you do not have that line, run these when the state can be written again:",
        ]
      : [
          matterLines(saved(file, rescued.rescue, environment), "", page),
          "If that file is lost, run:",
        ];
  const deletes = new Set(results.flatMap(({ key, action }) => (action === "delete" ? key : [])));
  for (const request of unrecorded) {
    // A menu that was not deleted is there, and so is one that was created.
    const isThere = (request.outcome.kind === "done") !== deletes.has(request.key);
    lines.push(`  ${command(recordingOf(request, environment, isThere))}`);
  }
  return `${lines.join("\n")}\n`;
}

function saved(file: string, { run, outcomes }: Rescue, environment: string): Matter {
  const keys = outcomes.map(({ outcome }) => outcome.key);
  return matter("unrecorded", [], { file, run, keys }, environment);
}

/** Returns a rescue file as one line of ASCII, which can be copied from any log, and how to use it. */
function rescueLines(rescue: Rescue, environment: string, command: Page["command"]): string[] {
  const text = JSON.stringify(rescue).replaceAll(
    /[\u007F-\uFFFF]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return [
    "Save the long line below in a file. When the state can be written again, run:",
    `  ${command(suggest("state push", ["FILE"], environment))}`,
    text,
  ];
}

function recordingOf(
  { key, superseded, outcome: { kind, status, message } }: Unrecorded,
  environment: string,
  isThere: boolean,
): Argv {
  // `--created` would be about the later request.
  if (kind === "unknown" || superseded === true) return suggest("state show", [key], environment);
  const fate = isThere ? "--created" : "--absent";
  const evidence = describeAnswer(status, message)
    .replace(/[^\w .,:-]/g, " ")
    .trim();
  return suggest("state resolve", [key], environment, [fate, "--evidence", evidence]);
}
