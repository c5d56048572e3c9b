import { answers, walk } from "../call/simulated-call.ts";
import { canBePressed } from "../call/tests.ts";
import { canonicalKey } from "../project/options.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { callResult, noCallJson } from "../views/call-result.ts";
import { command } from "../cli/command.ts";
import { sourceFlags } from "../cli/flags.ts";
import { converse, findCalled } from "../operations/call.ts";
import { UsageError } from "../util/usage-error.ts";
import type { Press } from "../model/call-menu.ts";

const flags = {
  ...sourceFlags,
  press: {
    value: "KEYS",
    multiple: true,
    about:
      "Press these keys, separated by commas; _ is silence, and the caller stays silent after the last key (can be repeated)",
  },
} as const;

export default command({
  arguments: {
    "<KEY>": "Menu key, the path of its file, or a phone number: +912241234567",
    "[PRESS..]": "Keys to press, one by one, as with --press",
  },
  about:
    "Simulate a call to a menu: show what is played, where the call ends and why.\n\nOn a terminal you are the caller: type keys (0-9, *, #) and Enter; Enter alone is silence, q hangs up. In a script, name the keys.\n\nThe service's documentation does not say in which order recordings play. ivrctl assumes this order: a call starts with `recording`. After each wrong key callers hear `invalid.recording`, and after the last one `invalid.final_recording` if the menu has it. After a silence they hear `timeout.retry_recording`, and after the last one `timeout.recording`. Wrong keys and silences are counted separately.\n\nExits with 1 if the agent is blocked or not on the agent list, or if the call ends before all keys are pressed.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl call front-desk", "you are the caller"],
    ["ivrctl call +912241234567", "call the menu that lists this phone number"],
    ["ivrctl call front-desk 9 2", "a wrong key, then 2"],
    ["ivrctl call front-desk --press 9,9,_", "two wrong keys, then silence"],
    ["ivrctl call front-desk --press 2 --format json", "for a script"],
    ["ivrctl call +912241234567 --from live", "what callers of this number get now"],
  ],
  async run(context) {
    const [called = "", ...pressed] = context.args;
    if (/^\+?\d+$/.test(called) && pressed.some((word) => /^\d{2,}$/.test(word))) {
      throw new UsageError(
        `Write a phone number in quotes, or without spaces: \`${context.args.join("")}\`.`,
      );
    }
    const typed = [...context.flags.press, ...pressed];
    const live = typed.length === 0;
    if (live && !(context.terminal.interactive && context.format === "text")) {
      throw new UsageError(
        "Without a terminal, or with `--format json`, `ivrctl call` needs `--press`. Use `--press 1,2,_`, or `--press ''` for a silent caller.",
      );
    }
    const { menu, menus, environment, diagnostics } = await findCalled(
      context,
      called,
      context.flags.from,
    );
    if (menu === undefined) {
      return { exit: 1, diagnostics, formats: { json: () => noCallJson(called) } };
    }
    if (live) {
      const exit = await converse(menu, menus, environment, context);
      return { exit, formats: { json: () => noCallJson(called) } };
    }
    const keys = [menu, ...menus.values()].flatMap(
      (callMenu) => callMenu?.options.map((option) => option.key) ?? [],
    );
    const presses = typed.flatMap((text) => pressesOf(text, keys));
    if (presses.length > limits.keysPressed) {
      throw new UsageError(`\`--press\` accepts at most ${shownLimit("keysPressed")} keys.`);
    }
    const walked = walk(menu, presses, menus);
    const exit = answers(walked.state.destination) && walked.unused.length === 0 ? 0 : 1;
    return { exit, ...callResult(walked, environment, diagnostics) };
  },
});

function pressesOf(text: string, keys: readonly Press[]): Press[] {
  if (text.trim() === "") return [];
  return text.split(",").map((part) => {
    const key = canonicalKey(part.trim());
    if (canBePressed(key, keys)) return key;
    throw new UsageError(
      key === ""
        ? `A key is missing in \`${text}\`. Write \`_\` for silence.`
        : `\`${key}\` is neither a phone key (0-9, *, #) nor an option of this menu. Separate keys, as in \`--press 1,2\`.`,
    );
  });
}
