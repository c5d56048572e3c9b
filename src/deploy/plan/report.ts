import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed } from "../../util/many.ts";
import { phoneText } from "../../util/phone.ts";
import { type Hint, suggest, suggestId } from "../../util/suggest.ts";
import { reportOpenBinds } from "../state/numbers.ts";
import { referencesIn } from "./links.ts";
import type { WantedMenu } from "./plan.ts";
import { type Note, notesOn } from "./steps/notes.ts";
import type { Resource } from "./steps/resources.ts";
import { type Ref, isMenu, isNumber, isOld, menuRef, nameIn } from "./steps/step.ts";

import {
  type Input,
  type Problem,
  menuWords,
  numberWords,
  planWords,
  resolveHelp,
  unreadableWords,
} from "./hold-words.ts";

/** Reports what holds steps back, if no view of the steps says it, and what a user should know besides. */
export function reportHolds(input: Input, diagnostics: Diagnostics): void {
  const { steps, resources, state, lists, can } = input;
  const menus = new Map<Ref, WantedMenu>(input.menus.map((menu) => [menuRef(menu.key), menu]));
  const moved = new Map(input.menus.map((menu) => [menuRef(menu.movedFrom ?? ""), menu]));
  const add = ({ code, at = inProject, message, hint, severity }: Problem) => {
    if ("source" in at) diagnostics.add(code, at, message, hint, severity);
    else diagnostics.addAt(code, at, message, hint);
  };
  for (const [why, held] of groupBy(
    steps.flatMap((step) => step.holds.map(({ why, of = "" }) => ({ step, why, of }))),
    (one) => one.why,
  )) {
    for (const { step, of } of held) {
      const { ref, needs } = step;
      const menu =
        menus.get(isNumber(ref) ? (needs[0] ?? ref) : ref) ?? moved.get(menuRef(nameIn(ref)));
      const words = menu && (isNumber(ref) ? numberWords : menuWords)[why]?.(step, of, menu, input);
      if (words) add(words);
    }
    for (const one of planWords[why]?.(
      held.map(({ step }) => step),
      input,
    ) ?? [])
      add(one);
  }
  for (const one of resources)
    if (can.targets.names(one.ref)) oldMenuWords(one, input).forEach(add);
  const wanted = resources.filter(({ ref }) => !isMenu(ref) || can.targets.has(nameIn(ref)));
  for (const note of notesOn(wanted, steps, state, lists)) {
    const menu = menus.get(note.ref);
    if (menu) noteWords(note, menu, input).forEach(add);
    if (note.code !== "IVR670") continue;
    const open = [...state.binds.values()].filter(
      ({ number, key }) => number === nameIn(note.ref) && can.targets.has(key),
    );
    reportOpenBinds(open, input.environment, diagnostics);
  }
}

const inProject = { file: "ivrs" };

/** Why an old menu that the user names cannot be deleted. */
function oldMenuWords(
  { ref, prior, observed }: Resource,
  { environment, state, can }: Input,
): Problem[] {
  const followUp = isOld(ref) ? state.followUps.get(nameIn(ref)) : undefined;
  if (followUp === undefined) return [];
  const { id, key } = followUp;
  const refuse = (problem: string, hint: Hint): Problem[] => [
    { code: "IVR631", message: `${id} cannot be deleted: ${problem}.`, hint },
  ];
  const byHand = {
    words: "Delete the menu on the console. Then run:",
    argv: suggest("state done", [id], environment),
  };
  if (!can.operations.has("delete")) {
    return refuse("the environment does not have `delete` in `operations:`", byHand);
  }
  if (!can.allowed.has("delete")) return refuse("that is not allowed", "Add --allow delete.");
  if (prior?.pending) {
    return refuse("the outcome of an earlier delete is unknown", resolveHelp(key, environment));
  }
  if (prior?.id === undefined) {
    return refuse("the id of the menu is not on record", {
      words: "Find its id on the console, and record it:",
      argv: suggestId([`${id}=ID`], environment),
    });
  }
  return observed.kind === "unreadable"
    ? refuse("ivrctl does not understand its record in the list", byHand)
    : [];
}

// ---- Remarks ----

function noteWords({ code, ref, of = [] }: Note, menu: WantedMenu, input: Input): Problem[] {
  const { environment, steps } = input;
  const { key, content } = menu;
  const at = menu.at.top;
  if (code === "IVR614") {
    const ids = of.map(nameIn);
    return [
      {
        code,
        at,
        message: `The service still has a menu identical to the new \`${key}\`: follow-up ${listed(ids, 5)}.`,
        hint: {
          words: "Check whether it is out of service. If it is, first run:",
          argv: suggest("state done", ids.slice(0, 5), environment),
        },
      },
    ];
  }
  if (code === "IVR639") {
    const name = content?.payload.name ?? key;
    // A menu cannot be imported without those that it leads to.
    const names = content && referencesIn(content).length === 0 ? [name] : [];
    return [
      {
        code,
        at,
        message: `The service already has a menu “${name}” that is not on record (id ${listed(of)}). Apply creates a second one.`,
        hint: {
          words: "To take it over instead, run:",
          argv: suggest("import", names, environment, ["--live"]),
        },
      },
    ];
  }
  if (code === "IVR637") {
    const isSent = steps.some((step) => step.ref === ref && step.op !== "record");
    const words = isSent ? undefined : unreadableWords(ref, menu, input, "warning");
    return words ? [words] : [];
  }
  return code === "IVR669"
    ? of.map((number) => ({
        code,
        at,
        message: `No file names ${phoneText(number)} any more, but it still leads to \`${key}\`. ivrctl never leaves a number without a destination.`,
        hint: "To let it lead to a different menu, add it to `numbers:` of that menu. Or change it on the console.",
      }))
    : [];
}
