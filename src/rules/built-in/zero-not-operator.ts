import { destinationToSend } from "../../compile/menu-to-send.ts";
import type { ResolvedDestination, ResolvedMenu } from "../../compile/compiled-menu.ts";
import { identityOf } from "../../model/menu.ts";
import { menuRule } from "../rule.ts";
import { isEnglish, iso13714 } from "./shared.ts";

export const zeroNotOperator = menuRule({
  name: "zero-not-operator",
  code: "IVR703",
  severity: "warning",
  options: {},
  source: `${iso13714}: if possible, 0 goes to help or to an operator.`,
  check(menu, { report }) {
    const { options = [], optionsAt } = menu;
    const zero = options.find(({ key }) => key === "0");
    if (zero === undefined) {
      if (optionsAt === undefined || options.length === 0) return;
      report(
        optionsAt,
        "Key 0 is not an option, but callers who need help press it.",
        "Add an option such as `0: { for: Operator, agent: Front Desk }`.",
      );
      return;
    }
    // Without `for:`, the purpose of the key is unknown.
    if (zero.for === undefined || !isEnglish(zero.for.value)) return;
    if (soundsLikeHelp(zero.for.value) || leadsToHelp(menu, zero.destination)) return;
    report(
      zero.for.at,
      `Key 0 is for ${zero.for.value}, but callers expect an operator.`,
      "Move this option to a different key, and send key 0 to an operator.",
    );
  },
});

/** Whether the agent sounds like help, or is also the destination of `invalid` or `timeout`. */
function leadsToHelp(
  { facts }: ResolvedMenu,
  destination: ResolvedDestination | undefined,
): boolean {
  const { value, reference, agent } = destination ?? {};
  if (destination === undefined || value?.kind === "other") return false;
  const fallbacks = [facts["invalid.destination"], facts["timeout.destination"]];
  const [id, ...others] = [destination, ...fallbacks].map((end) => {
    const to = destinationToSend(end?.value);
    return to && identityOf(to);
  });
  if (id !== undefined && others.includes(id)) return true;
  const listed = agent ? [agent.name, agent.team, ...agent.departments] : [];
  return [reference?.agent, reference?.team, reference?.department, ...listed].some((word) =>
    soundsLikeHelp(word ?? ""),
  );
}

function soundsLikeHelp(words: string): boolean {
  return help.test(words);
}

const help =
  /\b(?:operator|help|help ?desk|assistance|reception|receptionist|switchboard|desk|front office|person|someone|somebody|human(?! resources)|agent|support|attendant|representative|advis[eo]r|enquir(?:y|ies)|inquir(?:y|ies)|customer (?:care|services?))s?\b/i;
