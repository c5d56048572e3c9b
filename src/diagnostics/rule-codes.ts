import { type Code, type CodeText, text } from "./codes.ts";

/** IVR70x to IVR72x: what the rules find. IVR74x: what is wrong with how they are set. */
export const ruleCodes = {
  IVR701: text(
    "A menu with many options",
    "Callers hear options one after the other and keep few of them in mind. Those for help, repeat, back and end are not counted.",
    "Take options together, or lead to a second menu. `rules: { menu-too-long: { max: 6 } }` raises the bound.",
  ),
  IVR702: text(
    "Keys that do not count up from 1",
    "Callers expect the first option on 1, the next on 2 and so on. 0, 9, `*` and `#` have meanings of their own and stand aside.",
    "Number the options 1, 2, 3 in the order announced, without a gap.",
  ),
  IVR703: text(
    "0 does not lead to help",
    "Who is lost presses 0 and expects a person who helps. Here it is not an option, or leads somewhere else.",
    "Lead 0 to an operator or a front desk, and say so: `0: { for: Operator, agent: Front Desk }`.",
  ),
  IVR704: text(
    "A reserved key is used for something else",
    "By convention `*` goes back, `#` ends an entry and 9 ends the call. A caller who knows other menus is surprised.",
    "Move the option to a key from 1 to 8. If it does go back, enter or end, say so with `for:`.",
  ),
  IVR705: text(
    "A wait that is too short or too long",
    "Too short a wait cuts callers off who are still thinking; during too long a one they hang up. The rule takes the number for seconds: the service's document shows no unit.",
    "Wait from 3 to 10. Where the service counts in another unit, set `rules: { wait-out-of-range: { min: …, max: … } }`.",
  ),
  IVR706: text(
    "Too few or too many retries",
    "Without a retry, one slip ends the menu; after more than three, a caller who cannot use it is still held there.",
    "Allow from 1 to 3 retries.",
  ),
  IVR707: text(
    "A recording that is heard twice",
    "The retry recording is the menu's prompt or the final recording, so the caller hears no difference between being asked again, being asked first and being sent on.",
    "Record words of their own for the retry, such as: Are you still there?",
  ),
  IVR708: text(
    "Two options lead to one place",
    "Both keys reach the same agent. That can be meant; often it is a line that was copied and not changed.",
    "Correct one of the two, take them together, or silence the rule on the line.",
  ),
  IVR709: text(
    "The prompt does not fit the menu",
    "By its `says` the prompt announces keys that the menu lacks, leaves out keys that it has, or names them in another order; or it asks callers to dial or push where they are used to press.",
    "Correct `says:`, and with it the recording, or the menu's options.",
  ),
  IVR710: text(
    "A long prompt",
    "Callers wait through all of a prompt, and the first key is announced late. When it is announced is estimated from how much of `says` stands before it.",
    "Shorten the prompt, or put the options before the news.",
  ),
  IVR711: text(
    "A key leads elsewhere than before",
    "Callers who know the menu press keys by heart. A key that was applied now leads to another place.",
    "Tell callers at the start of the prompt that the menu has changed, or keep the old numbers.",
  ),
  IVR712: text(
    "An alias that no menu uses",
    "The recording or SMS template has a name here that no menu and no default refers to.",
    "Remove it, or use it.",
  ),
  IVR720: text(
    "Found by a house rule",
    "A rule of this project's own, from a module under `rules: { plugins: [...] }`, has found something. Its message says what.",
    "As the message says. The rule's name leads to its severity in `rules:` and silences it on a line.",
  ),
  IVR740: text(
    "No such rule",
    "`rules:` sets a rule that there is not, so nothing would come of the setting.",
    "Correct the name; docs/rules.md lists the rules. A house rule is named `plugin/rule`, and its module stands under `plugins:`.",
  ),
  IVR741: text(
    "Not a setting of this rule",
    "A house rule has no such option, or the option takes another kind of value.",
    "Correct the option; the rule's module says which there are.",
  ),
  IVR742: text(
    "A rule that cannot be lowered",
    "Without an extension id there is nothing that could be sent, whatever the rule is set to.",
    "Remove the setting or the comment, and have the agent list set right at the service.",
  ),
  IVR743: text(
    "A silence that names no rule",
    "`# ivrctl-ignore: RULE reason` silences rules by their names. Other diagnostics cannot be silenced.",
    "Correct the name, or remove the comment. Several names are separated by commas.",
  ),
  IVR744: text(
    "A silence that silences nothing",
    "The rule finds nothing on the line that the comment stands on or above, so the comment only hides what may come.",
    "Remove the name, or the comment.",
  ),
  IVR745: text(
    "A plugin that cannot be used",
    "A module under `rules: { plugins: [...] }` is not inside the project, cannot be loaded, or does not export what docs/custom-rules.md describes.",
    "Correct the path or the module, as the message says.",
  ),
  IVR746: text(
    "A house rule that broke",
    "The rule threw an error, gave a promise, or reported something that is no report. What it would have found is not known.",
    "Correct the rule's module; until then it can be set to `off`.",
  ),
} satisfies Partial<Record<Code, CodeText>>;
