import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import { groupBy } from "../../util/group-by.ts";
import { type Hint, suggest, suggestId } from "../../util/suggest.ts";
import { unknownHint } from "../matters/resolving.ts";
import { describeHolds, describeUnreadable } from "./hold-words.ts";
import { leftNumbers } from "./numbers.ts";
import type { Decided as Input, Problem, WantedMenu } from "./decided.ts";
import type { Resource } from "./steps/resource.ts";
import { type Ref, menuRef } from "../../schema/ref.ts";
import { type Step, isHeld } from "./steps/step.ts";

/** Reports what holds steps back, if no view of the steps says it, and what a user should know besides. */
export function reportHolds(input: Input, diagnostics: Diagnostics): void {
  const { steps, resources, can } = input;
  const menus = new Map<Ref, WantedMenu>(input.menus.map((menu) => [menuRef(menu.key), menu]));
  const add = ({ code, at = inProject, message, hint, severity }: Problem) => {
    if ("source" in at) diagnostics.add(code, at, message, hint, severity);
    else diagnostics.addAt(code, at, message, hint);
  };
  describeHolds(input).forEach(add);
  const known: Known = {
    ...input,
    stepsOf: groupBy(steps, ({ ref }) => ref),
    byRef: new Map(resources.map((one) => [one.ref, one])),
  };
  for (const one of resources) {
    const { ref } = one;
    if (can.targets.names(ref)) oldMenuWords(one, input).forEach(add);
    const menu = menus.get(ref);
    if (menu && can.targets.has(menu.key)) notesOn(one, menu, known).forEach(add);
  }
}

const inProject = { file: "ivrs" };

/** Why an old menu that the user names cannot be deleted. */
function oldMenuWords(
  { ref, prior, observed }: Resource,
  { environment, state, can }: Input,
): Problem[] {
  const followUp = state.records.get(ref);
  if (followUp?.kind !== "old") return [];
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
    return refuse("the outcome of an earlier delete is unknown", unknownHint([key], environment));
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

// ---- What holds nothing back ----

interface Known extends Input {
  readonly stepsOf: ReadonlyMap<Ref, readonly Step[]>;
  readonly byRef: ReadonlyMap<Ref, Resource>;
}

function notesOn(resource: Resource, menu: WantedMenu, input: Known): Problem[] {
  const steps = input.stepsOf.get(resource.ref) ?? [];
  const { desired, prior, observed } = resource;
  const isSent = steps.some(({ op }) => op !== "record");
  const isCompared = desired === undefined || prior?.pending || observed.kind !== "unreadable";
  const unread =
    isCompared || isSent ? undefined : describeUnreadable(resource.ref, menu, input, "warning");
  const isElsewhere = steps.some(
    (step) => step.op === "create" || step.event === "restored" || isHeld(step),
  );
  // What links to another menu afterwards, or waits, is shown with the menu.
  return [...(unread ? [unread] : []), ...(isElsewhere ? [] : leftNumbers(resource, menu, input))];
}
