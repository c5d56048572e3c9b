import * as z from "zod/mini";
import type { SettledMenu } from "../compile/draft.ts";
import { type Code, isCode } from "../diagnostics/codes.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { At, type Places } from "./places.ts";

// What is asked of every menu, whichever command runs. What a menu says in full is a
// piece of its own, which is not understood before somebody asks.
const PlacedText = z.object({ value: z.string(), at: At });
const Finding = z.object({
  /** What tells it from any other. */
  id: z.string(),
  in: z.optional(z.enum(["own", "config"])),
  code: z.custom<Code>((value) => typeof value === "string" && isCode(value)),
  severity: z.enum(["warning", "info"]),
  message: z.string(),
  file: z.string(),
  line: z.int(),
  column: z.int(),
  endLine: z.int(),
  endColumn: z.int(),
  hint: z.optional(z.string()),
  rule: z.optional(z.string()),
});
const MenuRecord = z.object({
  key: z.string(),
  keyAt: At,
  top: At,
  name: PlacedText,
  movedFrom: z.optional(PlacedText),
  onChange: z.optional(z.enum(["replace", "refuse"])),
  owner: z.optional(z.string()),
  optionKeys: z.array(z.string()),
  hasTests: z.boolean(),
  isDrawn: z.boolean(),
  uses: z.array(z.object({ kind: z.enum(["recording", "sms_template"]), name: z.string() })),
  silenced: z.array(At),
  found: z.array(Finding),
});
export const MenuRecords = z.array(MenuRecord);
type MenuRecord = z.infer<typeof MenuRecord>;

/** What a record holds of a menu; the rest is found out when it is asked for. */
type Recorded = Omit<SettledMenu, "source" | "reading" | "seen" | "tests" | "ordinal">;

/** Undefined where the menu is at fault: what is wrong is looked at anew each time. */
export function writeMenu(
  menu: SettledMenu,
  isDrawn: boolean,
  places: Places,
): MenuRecord | undefined {
  const { key, name, movedFrom, found, judgement, judged } = menu;
  const { faulty, misspelt } = judgement;
  if (!menu.reading.isEmpty || !menu.whole || found.hasErrors) return undefined;
  if (key === undefined || name === undefined || faulty.size > 0 || misspelt.size > 0) {
    return undefined;
  }
  return {
    key,
    keyAt: places.write(menu.keyAt),
    top: places.write(menu.top),
    name: { value: name.value, at: places.write(name.at) },
    movedFrom: movedFrom && { value: movedFrom.value, at: places.write(movedFrom.at) },
    onChange: menu.onChange,
    owner: menu.owner,
    optionKeys: [...menu.optionKeys],
    hasTests: menu.tests !== undefined,
    isDrawn,
    uses: [...judged.uses],
    silenced: judged.silenced.map((at) => places.write(at)),
    found: found.entries().flatMap(([id, finding]) => writeFinding(id, finding, places)),
  };
}

export function readMenu(record: MenuRecord, places: Places): Recorded {
  const top = places.read(record.top);
  const name = { value: record.name.value, at: places.read(record.name.at) };
  const { movedFrom: from } = record;
  const movedFrom = from && { value: from.value, at: places.read(from.at) };
  const found = new Diagnostics();
  for (const finding of record.found) found.putBack(finding.id, readFinding(finding, places));
  return {
    kind: "settled",
    key: record.key,
    keyAt: places.read(record.keyAt),
    top,
    name,
    nameAt: name.at,
    movedFrom,
    movedFromAt: movedFrom?.at ?? top,
    onChange: record.onChange,
    owner: record.owner,
    optionKeys: record.optionKeys,
    judgement: clean,
    found,
    whole: true,
    judged: { uses: record.uses, silenced: record.silenced.map((at) => places.read(at)) },
    known: { isDrawn: record.isDrawn },
  };
}

const clean = { faulty: new Set<never>(), misspelt: new Set<never>() };

function writeFinding(id: string, finding: Diagnostic, places: Places): z.infer<typeof Finding>[] {
  const { source, severity, ...rest } = finding;
  return severity === "error" ? [] : [{ id, in: places.nameOf(source), severity, ...rest }];
}

function readFinding(record: z.infer<typeof Finding>, places: Places): Diagnostic {
  const { id: _, in: where, hint, rule, ...rest } = record;
  const source = places.named(where);
  return {
    ...rest,
    ...(hint === undefined ? {} : { hint }),
    ...(rule === undefined ? {} : { rule }),
    ...(source && { source }),
  };
}
