import type { Result } from "../deploy/apply/results.ts";
import { type LockedState, reporting } from "../deploy/state/access.ts";
import { reportAt } from "../deploy/state/change.ts";
import { checkIds, resolveEvents, subjectsIn } from "../deploy/state/resolve.ts";
import { idOnRecord } from "../deploy/state/view.ts";
import { menuRef } from "../schema/ref.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { idPattern } from "../schema/field-types.ts";
import { second } from "../util/time.ts";
import { visible } from "../util/visible.ts";
import { askText } from "../views/ask.ts";
import type { Context } from "./command.ts";

/**
 * Asks for the ids that menus wait for after an apply, one after the other, and records them. Returns
 * the results with what they still wait for.
 */
export async function askIds(
  results: readonly Result[],
  { session, store }: LockedState,
  context: Pick<Context, "host" | "terminal">,
  halt: AbortSignal,
): Promise<readonly Result[]> {
  const waits = results.flatMap(({ waitsFor = [] }) => waitsFor);
  const awaited = waits.filter(({ because }) => because === "unidentified");
  for (const key of new Set(awaited.map((wait) => wait.key))) {
    const subject = subjectsIn(session.state).get(menuRef(key));
    if (!subject?.current || subject.pending) continue;
    const { menu, created_at: at } = subject.current;
    const which = visible(`“${menu.name}” (${key}, created ${second(at)} UTC)`);
    const id = await askText(`Id of ${which} on the console, or Enter to skip: `, context, halt);
    if (halt.aborted) break;
    if (!id) continue;
    const found = new Diagnostics();
    checkIds([{ ...subject, id }], { state: session.state, report: reportAt(store, found) });
    const isValid = idPattern.test(id) && !found.hasErrors;
    const events = resolveEvents({ ...subject, id }, "created", "entered after apply");
    if (isValid) await reporting(store, found, () => session.append(...events));
    const [problem] = found.sorted();
    if (problem || !isValid) {
      const why = problem?.message ?? `\`${id}\` cannot be an id.`;
      context.terminal.say(`${visible(why)} It was not recorded.\n`);
    }
  }
  const isKnown = (key: string) => idOnRecord(session.state, menuRef(key)) !== undefined;
  return results.map((result) =>
    result.waitsFor
      ? { ...result, waitsFor: result.waitsFor.filter(({ key }) => !isKnown(key)) }
      : result,
  );
}
