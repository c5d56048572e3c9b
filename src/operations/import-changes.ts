import { refusalCodes } from "./lock-request.ts";
import type { Caller } from "./caller.ts";
import { type Live, readLive } from "./opened-source.ts";
import type { Result } from "../views/result.ts";
import { askApproval } from "./state-change.ts";
import { reachedOn } from "../deploy/listed/names.ts";
import { menuRecord } from "../deploy/state/view.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { type Texts, menuAt } from "../editing/at.ts";
import { attempt, changesOf, loaderOf } from "../editing/edit.ts";
import { takeTask } from "../editing/take-change.ts";
import { changeFiles } from "../project/change-files.ts";
import { type Destination, withIds } from "../model/menu.ts";
import { isSameMenu } from "../model/menu-diff.ts";
import { EditProblem } from "../references/edits.ts";
import { joined, many } from "../util/many.ts";
import { phoneDigits, phoneText } from "../util/phone.ts";
import { type Hint, suggest } from "../util/suggest.ts";
import { visible } from "../util/visible.ts";
import { editText } from "../views/edit.ts";

interface AskedChanges {
  /** The menus whose files change. */
  readonly keys: readonly string[];
  readonly isApproved: boolean;
}

/** Writes what somebody changed on the console into the files of these menus. */
export async function importChanges(
  caller: Caller,
  { keys, isApproved }: AskedChanges,
): Promise<Result> {
  const { root, terminal } = caller;
  const problems = new Diagnostics();
  const asked = { paths: [], agentsRequired: false, advice: "none" } as const;
  const live = await readLive(caller, asked, problems);
  let texts: Texts = new Map();
  let changed = live?.project;
  const refuse = (file: string, message: string, hint?: Hint) =>
    problems.addAt("IVR664", { file }, message, hint, "error");
  for (const key of live ? new Set(keys) : []) {
    if (live === undefined) break;
    const { project, lists, state, agents } = live;
    const compiled = [...project.compiled.values()].find((menu) => menu.key === key);
    const record = menuRecord(state, key)?.current;
    const id = record?.identified?.id;
    const source = compiled?.menu.source;
    if (!compiled || !source || !record || id === undefined) {
      const file = source?.file ?? "ivrs";
      const why = compiled ? "has no recorded id" : "has errors in its file";
      refuse(file, `\`${key}\` ${why}, so ivrctl cannot compare it with the service.`);
      continue;
    }
    const keyOf = new Map(
      live.menus.flatMap((menu) => (menu.id === null ? [] : [[menu.id, menu.key]])),
    );
    const ids = new Map([...keyOf].map(([menuId, name]) => [name, menuId]));
    const idOf = (name: string) => ids.get(name);
    const file = withIds(compiled.content, idOf);
    reportNumbers(live, { key, file: source.file, id, numbers: file.numbers ?? [] }, problems);
    const seen = lists.menus.see(id, file, { agents, menus: keyOf });
    if (seen.kind !== "seen" || !("menu" in seen.content)) {
      refuse(source.file, `\`${key}\` is not on the service, or cannot be read there.`);
    } else if (isSameMenu(file, seen.content.menu)) continue;
    else if (!isSameMenu(file, record.menu)) {
      refuse(
        source.file,
        `Since the last apply, \`${key}\` was changed on the console and in its file, by hand or by an earlier import.`,
        {
          words:
            "Undo the changes in the file, for example with git. Then import all changes from the console, and make your own again:",
          argv: suggest("import", [], live.environment.name, ["--live", key]),
        },
      );
    } else {
      const load = loaderOf(project, { listLive: async () => agents });
      const before = changed ?? project;
      const earlier = texts;
      try {
        const task = takeTask(menuAt(before, key), seen.content.menu, idOf);
        const next = await attempt(before, task, (more, environment) =>
          load(new Map([...earlier, ...more]), environment),
        );
        [texts, changed] = [new Map([...texts, ...next.texts]), next.project];
      } catch (error) {
        if (!(error instanceof EditProblem)) throw error;
        refuse(source.file, `\`${key}\`: ${error.message}`, "Edit the file by hand.");
      }
    }
  }
  const diagnostics = problems.sorted();
  if (live === undefined || problems.hasErrors) {
    return { exit: 1, diagnostics, notes: "Nothing was written.\n" };
  }
  if (texts.size === 0) {
    return diagnostics.length > 0
      ? { exit: 1, diagnostics, notes: "Nothing was written.\n" }
      : { summary: "The files already say what the service has.\n", diagnostics };
  }
  const say = (text: string) => (isApproved ? terminal.note(text) : terminal.say(text));
  const changes = changesOf(live.project, texts);
  say(editText(changes, terminal));
  const what = `the change${keys.length === 1 ? "" : "s"} of ${joined(keys, "and")}`;
  const question = `Write ${visible(what)} into ${many(texts.size, "file")}?`;
  const refusal = await askApproval(caller, isApproved, question, "Nothing was written.");
  if (refusal !== undefined) return { exit: refusalCodes[refusal], diagnostics };
  if (!changeFiles(root, changes, problems)) return { exit: 1, diagnostics: problems.sorted() };
  return {
    summary: `Wrote ${visible(what)} into ${many(texts.size, "file")}.\n`,
    diagnostics,
    next: ({ command }) =>
      `To check that nothing changes, run:\n  ${command(suggest("plan", [], live.environment.name))}\n`,
  };
}

/** Reports the phone numbers that somebody pointed elsewhere: this writes what menus say, and no numbers. */
function reportNumbers(
  { lists, state, agents, environment }: Live,
  menu: { key: string; file: string; id: string; numbers: readonly string[] },
  problems: Diagnostics,
): void {
  const reached = reachedOn(state, lists.menus, agents);
  const isHere = (to: Destination | null) => to?.kind === "menu" && to.id === menu.id;
  const away = menu.numbers.flatMap((number) => {
    const [listed, ...others] = lists.numbers?.find(number) ?? [];
    const isElsewhere = listed && others.length === 0 && !isHere(listed.destination);
    return isElsewhere ? [`${phoneText(number)} points to ${reached(listed.destination)}`] : [];
  });
  const named = new Set(menu.numbers.map(phoneDigits));
  const here = (lists.numbers?.numbers ?? []).flatMap(({ number, destination }) =>
    isHere(destination) && !named.has(phoneDigits(number))
      ? [`${phoneText(`+${phoneDigits(number)}`)} points to \`${menu.key}\``]
      : [],
  );
  if (away.length + here.length === 0) return;
  problems.addAt(
    "IVR664",
    { file: menu.file },
    `On the service, ${joined([...away, ...here], "and")}. The files say otherwise, and this command does not change \`numbers:\`.`,
    {
      words:
        "To keep that, change `numbers:` in the files. To see what apply would do instead, run:",
      argv: suggest("plan", [], environment.name),
    },
    "warning",
  );
}
