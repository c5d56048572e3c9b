import * as z from "zod/mini";
import type { SettledMenu } from "../compile/draft.ts";
import type { Identity } from "../compile/identity.ts";
import { type Code, isCode } from "../diagnostics/codes.ts";
import { type Diagnostic, Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Sources, Tape, TapeReader, TapeWriter } from "./tape.ts";

// What is asked of every menu, whichever command runs. What a menu says in full is a
// piece of its own, which is not understood before somebody asks.
const Finding = z.object({
  /** What tells it from any other. */
  id: z.string(),
  in: z.enum(["own", "config"]),
  code: z.custom<Code>((value) => typeof value === "string" && isCode(value)),
  severity: z.enum(["warning", "info"]),
  message: z.string(),
  hint: z.optional(z.string()),
  rule: z.optional(z.string()),
  file: z.string(),
  line: z.int(),
  column: z.int(),
  endLine: z.int(),
  endColumn: z.int(),
});
type Finding = z.infer<typeof Finding>;
const MenuRecord = z.object({ tape: Tape, found: z.array(Finding) });
export const MenuRecords = z.array(MenuRecord);
type MenuRecord = z.infer<typeof MenuRecord>;

/** What a record holds of a menu; the rest is found out when it is asked for. */
interface Recorded extends Omit<SettledMenu, "source" | "reading" | "seen" | "tests" | "ordinal"> {
  readonly hasTests: boolean;
}

const aliasKinds = ["recording", "sms_template"] as const;
const changeWords = ["replace", "refuse"] as const;

/** Undefined where the menu is at fault: what is wrong is looked at anew each time. */
export function writeMenu(
  menu: SettledMenu,
  isDrawn: boolean,
  sources: Sources,
): MenuRecord | undefined {
  const { key, found, judgement } = menu;
  const { faulty, misspelt } = judgement;
  if (!menu.reading.isEmpty || !menu.whole || found.hasErrors || key === undefined)
    return undefined;
  if (faulty.size > 0 || misspelt.size > 0) return undefined;
  const to = new TapeWriter(sources);
  to.word(key);
  to.span(menu.keyAt);
  to.span(menu.top);
  writeText(menu.name, to);
  to.span(menu.nameAt);
  writeText(menu.movedFrom, to);
  to.span(menu.movedFromAt);
  to.optional(menu.onChange, (word) => to.number(changeWords.indexOf(word)));
  to.optional(menu.owner, (owner) => to.word(owner));
  to.list(menu.optionKeys, (option) => to.word(option));
  to.number(Number(menu.tests !== undefined));
  to.number(Number(isDrawn));
  to.list(menu.judged.uses, ({ kind, name }) => {
    to.number(aliasKinds.indexOf(kind));
    to.word(name);
  });
  to.list(menu.judged.silenced, (at) => to.span(at));
  const findings = found.entries().flatMap(([id, finding]) => writeFinding(id, finding, sources));
  const complete = findings.length === found.entries().length;
  return to.sound && complete ? { tape: to.tape, found: findings } : undefined;
}

/** Undefined where it cannot be understood. */
export function readMenu({ tape, found }: MenuRecord, sources: Sources): Recorded | undefined {
  const from = new TapeReader(tape, sources);
  const diagnostics = new Diagnostics();
  for (const finding of found) diagnostics.putBack(finding.id, readFinding(finding, sources));
  const recorded: Recorded = {
    kind: "settled",
    key: from.word(),
    keyAt: from.span(),
    top: from.span(),
    name: readText(from),
    nameAt: from.span(),
    movedFrom: readText(from),
    movedFromAt: from.span(),
    onChange: from.optional(() => changeWords[from.number()]),
    owner: from.optional(() => from.word()),
    optionKeys: from.list(() => from.word()),
    hasTests: from.number() === 1,
    known: { isDrawn: from.number() === 1 },
    judged: {
      uses: from.list(() => ({
        kind: aliasKinds[from.number()] ?? "recording",
        name: from.word(),
      })),
      silenced: from.list(() => from.span()),
    },
    judgement: clean,
    found: diagnostics,
    whole: true,
  };
  return from.isDone ? recorded : undefined;
}

const clean = { faulty: new Set<never>(), misspelt: new Set<never>() };

function writeText(text: Identity["name"], to: TapeWriter): void {
  to.optional(text, ({ value, at }) => {
    to.word(value);
    to.span(at);
  });
}

function readText(from: TapeReader): Identity["name"] {
  return from.optional(() => ({ value: from.word(), at: from.span() }));
}

function writeFinding(id: string, finding: Diagnostic, { own, config }: Sources): Finding[] {
  const { source, severity, ...rest } = finding;
  if (severity === "error" || (source !== own && source !== config)) return [];
  return [{ id, in: source === own ? "own" : "config", severity, ...rest }];
}

/** Its fields in the order in which JSON has always shown them. */
function readFinding(record: Finding, sources: Sources): Diagnostic {
  const { id: _, in: where, code, severity, message, hint, rule, ...place } = record;
  return {
    code,
    severity,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(rule === undefined ? {} : { rule }),
    ...place,
    source: sources[where],
  };
}
