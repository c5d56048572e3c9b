import { type Code, type CodeText, text } from "./codes.ts";

/** IVR70x to IVR72x: problems that rules report. IVR74x: errors in the settings of rules. */
export const ruleCodes = {
  IVR701: text(
    "The menu has too many options",
    "Callers hear the options one after the other and remember only a few of them. The keys 0, 9, `*` and `#` have their own meaning and do not count.",
    "Remove options, combine those that lead to the same people, or lead to a second menu: `{ for: Sales, menu: sales }`. To allow more, set `rules: { menu-too-long: { max: 6 } }`.",
  ),
  IVR702: text(
    "The keys are not in the order 1, 2, 3",
    "Callers expect the first option on key 1, the next on key 2, and so on. The keys 0, 9, `*` and `#` have their own meaning and do not count.",
    "Number the options 1, 2, 3 without gaps, in the order of the prompt.",
  ),
  IVR703: text(
    "Key 0 does not lead to help",
    "Callers who need help press 0 and expect a person. In this menu, key 0 is missing or has another purpose.",
    "Send key 0 to an operator or a front desk: `0: { for: Operator, agent: Front Desk }`.",
  ),
  IVR704: text(
    "A reserved key has another purpose",
    "Callers expect `*` to go back, `#` to end an entry and 9 to end the call.",
    "Use a key from 1 to 8. If the option does go back, end an entry or end the call, write that in `for:`.",
  ),
  IVR705: text(
    "The wait is too short or too long",
    "A short wait interrupts callers who are still thinking. During a long wait, callers hang up. The rule assumes seconds, because the documentation of the service gives no unit.",
    "Set a wait from 3 to 10. If the service uses another unit, set `rules: { wait-out-of-range: { min: …, max: … } }`.",
  ),
  IVR706: text(
    "The menu has too few or too many retries",
    "Without a retry, one wrong key ends the menu. With more than three, callers who have trouble with the menu wait too long for a person.",
    "Allow 1 to 3 retries.",
  ),
  IVR707: text(
    "The retry recording is also used elsewhere in the menu",
    "It is the same as the prompt or the final recording, so callers do not notice that the menu asks again.",
    "Use a separate recording for the retry, for example: “Are you still there?”",
  ),
  IVR708: text(
    "Two options lead to the same destination",
    "Two keys reach the same agent. Often someone copied a line and forgot to change it.",
    "Correct one of the options, or combine them. If both are intended, ignore the rule on that line.",
  ),
  IVR709: text(
    "The prompt does not match the options",
    "According to `says:`, the prompt announces keys that the menu does not have, or leaves out keys. The rule reads keys only as digits, as in “press 1”. Or the prompt says “dial” or “push”, where callers expect “press”.",
    "Correct `says:` and the recording, or correct the options.",
  ),
  IVR710: text(
    "The prompt is too long",
    "The prompt takes long, or callers wait long for the first key. ivrctl estimates this wait from the position of the key in `says:`.",
    "Shorten the prompt, or announce the keys first.",
  ),
  IVR711: text(
    "A key leads to another destination than before",
    "Callers who know the menu press keys from memory. This key had another destination when the menu was last applied.",
    "Announce the change at the start of the prompt, or keep the old keys.",
  ),
  IVR712: text(
    "No menu uses this alias",
    "The alias names a recording or an SMS template. No menu and no default refers to it.",
    "Remove the alias, or use it.",
  ),
  IVR713: text(
    "The menu is too deep",
    "Callers must go through many menus to reach this one. The rule counts the menus on the shortest path from a menu where calls begin, and reports the first one that is too deep.",
    "Let an earlier menu lead to it, or combine menus. To allow more, set `rules: { menu-too-deep: { max: 4 } }`.",
  ),
  IVR714: text(
    "No call reaches the menu",
    "Calls begin in every menu that no other menu leads to or that has phone numbers, unless `entry:` says otherwise. No menu where calls begin leads to this menu. Either it has `entry: false`, or menus lead to each other and ivrctl cannot know which of them is the first.",
    "Add `entry: true` to the menu where calls begin, or let another menu lead to this one.",
  ),
  IVR715: text(
    "Callers cannot reach an agent",
    "No path from this menu leads to an agent, directly or through other menus. Calls from here end without an answer. A department or another kind of destination counts as an agent, `hangup` does not.",
    "Add an option that leads to an agent, or to a menu that does.",
  ),
  IVR716: text(
    "A silent caller never leaves the menus",
    "After the last silence, `timeout` leads back to a menu where the caller was silent before. If the caller has put the phone down, the call never ends.",
    "Let `timeout` lead to an agent, or end the call with `{ hangup: true }`.",
  ),
  IVR720: text(
    "A custom rule reported a problem",
    "The rule is in a module under `rules: { plugins: [...] }`. Its message describes the problem.",
    "Follow the message. You can set the rule under `rules:`, or ignore it on one line with `# ivrctl-ignore: PLUGIN/RULE`.",
  ),
  IVR740: text(
    "Rule not found",
    "`rules:` sets a rule that does not exist.",
    "Correct the name. docs/rules.md lists the built-in rules. A custom rule is called `PLUGIN/RULE`, and its module must be under `plugins:`.",
  ),
  IVR741: text(
    "The option of a custom rule is invalid",
    "The custom rule does not have this option, or the value has the wrong type.",
    "Correct the option. The module of the rule defines its options.",
  ),
  IVR742: text(
    "This rule is always an error",
    "Without an extension id, ivrctl has nothing to send. So you cannot ignore `agent-without-eid` or lower its severity.",
    "Remove the setting or the comment. Then set up the extension on the console.",
  ),
  IVR743: text(
    "The ignore comment does not name a rule",
    "`# ivrctl-ignore: RULE reason` ignores a rule by its name. Only rules can be ignored, not other errors.",
    "Correct the name, or remove the comment. Separate several names with commas.",
  ),
  IVR745: text(
    "The plugin cannot be used",
    "A module under `rules: { plugins: [...] }` is outside the project, cannot be loaded, or has an invalid default export. docs/custom-rules.md describes a plugin.",
    "Correct the path or the module, as the message says.",
  ),
  IVR746: text(
    "A custom rule failed",
    "The rule threw an error, returned a promise, or reported something invalid. ivrctl does not know whether the menu follows the rule.",
    "Correct the module of the rule. Until then, you can set the rule to `off`.",
  ),
} satisfies Partial<Record<Code, CodeText>>;
