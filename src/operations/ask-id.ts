import { reportAt } from "../deploy/state/change.ts";
import { type Subject, checkIds } from "../deploy/state/resolve.ts";
import type { StateView } from "../deploy/state/state.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { idPattern } from "../schema/field-types.ts";
import { visible } from "../util/visible.ts";
import { askText } from "../views/ask.ts";
import { creationTime } from "../deploy/state/view.ts";
import type { Audience } from "../views/terminal.ts";

/**
 * Asks for the id of a menu until the answer can be one. Returns "" if the user skips the question, and
 * undefined if there is no answer: at a signal, or at the end of the input.
 */
export async function askId(
  subject: Subject,
  state: StateView,
  context: Pick<Audience, "host" | "terminal">,
  halt: AbortSignal,
): Promise<string | undefined> {
  const { key, current, pending, made } = subject;
  const created = current && !pending ? `, ${creationTime(current)}` : "";
  const which = visible(
    made
      ? `the recording ${key}`
      : `“${(pending ?? current)?.menu.name ?? key}” (${key}${created})`,
  );
  for (;;) {
    const id = await askText(`Id of ${which} on the console, or Enter to skip: `, context, halt);
    if (id === undefined || id === "") return id;
    const problems = new Diagnostics();
    checkIds([{ ...subject, id }], { state, report: reportAt({ place: "" }, problems) });
    const [problem] = problems.sorted();
    if (problem === undefined && idPattern.test(id)) return id;
    const why =
      problem?.message ?? `\`${id}\` cannot be an id. Write only the id, for example 7926.`;
    context.terminal.say(`${visible(why)}\n`);
  }
}
