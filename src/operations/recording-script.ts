import { recordingScript } from "../call/recordings.ts";
import { type StateView, menuRecord, openTexts } from "../deploy/state/view.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { CallMenu } from "../model/call-menu.ts";
import { textsBefore } from "../model/menu-diff.ts";
import { reportNoKey } from "../workspace/select-files.ts";
import type { Caller } from "./caller.ts";
import { openSource, readChosenState } from "./opened-source.ts";

/** What the recordings of a menu say, or those of all menus, and which must be recorded again. */
export async function findScript(
  caller: Caller,
  key: string | undefined,
  from: string | undefined,
) {
  const problems = new Diagnostics();
  const { menus, diagnostics, isRead } = await openSource(caller, { from, paths: [] });
  const chosen = menus.filter((menu) => key === undefined || menu.key === key);
  if (isRead && chosen.length === 0) {
    const keys = menus.flatMap((menu) => menu.key ?? []);
    reportNoKey(key ?? "", keys, problems);
  }
  const calls = chosen.flatMap(({ call }) => call ?? []);
  const isValid = !diagnostics.some(({ severity }) => severity === "error");
  const state = isValid ? await readChosenState(caller, problems) : undefined;
  return {
    script: recordingScript(calls),
    /** The texts until now, by the id of the recording. Undefined if the state cannot be read. */
    again: state && new Map(toRecord(state, calls)),
    diagnostics: [...diagnostics, ...problems.sorted()],
  };
}

/** What recordings say that must be recorded again, by id: open follow-ups, and what the next apply asks for. */
function toRecord(state: StateView, calls: readonly CallMenu[]): [id: string, says: string][] {
  return [
    ...openTexts(state).map(({ id, open }): [string, string] => [id, open.was]),
    ...calls.flatMap((call) => {
      const recorded = menuRecord(state, call.key)?.current?.menu;
      return recorded ? textsBefore(recorded, call) : [];
    }),
  ];
}
