import type { Rescued } from "../deploy/apply/apply-and-rescue.ts";
import {
  type Applied,
  type SentOutcome,
  type Unrecorded,
  isDone,
} from "../deploy/apply/results.ts";
import type { Absent } from "../deploy/state/rescue.ts";
import type { Rescue } from "../schema/rescue.ts";
import { suggest } from "../util/suggest.ts";
import { second } from "../util/time.ts";
import { type Terminal, visible } from "./terminal.ts";
import { answerInParentheses, answerWords } from "./text.ts";

/** Prints the outcomes that could not be recorded, and how to record them. */
export function sayUnrecorded(
  { unrecorded, results }: Applied,
  rescued: Rescued | undefined,
  environment: string,
  terminal: Terminal,
): void {
  if (unrecorded.length === 0) return;
  const file = rescued?.file;
  const lines =
    file === undefined
      ? [
          "These outcomes could not be recorded in the state, and no rescue file could be written.",
          ...(rescued === undefined ? [] : rescueLines(rescued.rescue, environment)),
          "If you do not have that line, run these when the state can be written again:",
        ]
      : [
          `These outcomes could not be recorded in the state. They are saved in ${file}`,
          "The next command here that changes the state records them. On another machine, run:",
          `  ${suggest("state push", [file], environment)}`,
          "If that file is lost, run:",
        ];
  const deletes = new Set(results.flatMap(({ key, action }) => (action === "delete" ? key : [])));
  for (const { key, outcome, denied } of unrecorded) {
    if (denied?.another !== undefined) continue;
    // A menu that was not deleted is there, and so is one that was created.
    const isThere = isDone(outcome) !== deletes.has(key);
    lines.push(`  ${command(key, outcome, environment, isThere, denied !== undefined)}`);
  }
  for (const one of unrecorded) {
    if (one.denied !== undefined) lines.push(terminal.style("red", deniedText(one, one.denied)));
  }
  terminal.say(`${lines.join("\n")}\n`);
}

/** Returns a rescue file as one line of ASCII, which can be copied from any log, and how to use it. */
function rescueLines(rescue: Rescue, environment: string): string[] {
  const text = JSON.stringify(rescue).replaceAll(
    /[\u007F-\uFFFF]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return [
    "Save the long line below in a file. When the state can be written again, run:",
    `  ${suggest("state push", ["FILE"], environment)}`,
    text,
  ];
}

/** Says that a menu was recorded as absent although the service created it. */
function deniedText({ key, outcome }: Unrecorded, { by, another, intent }: Absent): string {
  const name = visible(intent.event.payload.name);
  const denied = `${visible(key)}: the service created “${name}”${answerInParentheses(outcome)}, but ${visible(by.by)} recorded it as absent at ${second(by.at)} UTC.`;
  if (another === undefined) return `${denied} The menu exists, but is not in the state yet.`;
  const run = `Then ${visible(another.by)} (run ${visible(another.run)})`;
  const [deed, result] = deniedWords[another.event.kind] ?? [
    "created it again",
    "TWO MENUS EXIST NOW.",
  ];
  return `${denied} ${run} ${deed} at ${second(another.at)} UTC. ${result} The menu of this run becomes a follow-up when it is recorded. Find out which of the two the phone number uses, and take the other one out of service.`;
}

const deniedWords: Readonly<Record<string, readonly [deed: string, result: string]>> = {
  intent: ["began to create it again", "TWO MENUS MAY EXIST NOW."],
  adopted: ["adopted a menu", "TWO MENUS EXIST NOW, unless both are the same menu."],
};

function command(
  key: string,
  { kind, status, message }: SentOutcome,
  environment: string,
  isThere: boolean,
  isDenied: boolean,
): string {
  if (kind === "unknown") return suggest("state show", [key], environment);
  const fate = isThere ? "--created" : "--absent";
  const evidence = answerWords(status, message)
    .replace(/[^\w .,:-]/g, " ")
    .trim();
  return isDenied
    ? suggest("state adopt", [key], environment, `--evidence '${evidence}'`)
    : suggest("state resolve", [key], environment, `${fate} --evidence '${evidence}'`);
}
