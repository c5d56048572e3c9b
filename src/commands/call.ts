import { sourceFlags } from "../cli/flags.ts";
import { createInterface } from "node:readline";
import { problemsWith } from "../call/callable-menu.ts";
import { type CallMenus, answers, begin, press, silence, walk } from "../call/simulated-call.ts";
import { canBePressed } from "../call/tests.ts";
import { reportNoKey } from "../workspace/select-files.ts";
import { canonicalKey } from "../project/options.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { limits, shownLimit } from "../schema/limits.ts";
import { beginText, callResult, noCallJson, notAKeyText, stepText } from "../views/call-result.ts";
import { type Context, command } from "../cli/command.ts";
import { openSource } from "../operations/source.ts";
import { menuFolder } from "../project/files.ts";
import { phoneDigits } from "../util/phone.ts";
import type { Hint } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { Interruption } from "../util/interruption.ts";
import type { ExitCode } from "../views/result.ts";
import type { CallMenu, Press } from "../model/call-menu.ts";

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
  arguments: { "<KEY>": "Menu key, the path of its file, or a phone number: +912241234567" },
  about:
    "Simulate a call to a menu: show what is played, where the call ends and why.\n\nOn a terminal you are the caller: type keys (0-9, *, #) and Enter; Enter alone is silence, q hangs up. In a script, use --press.\n\nThe service's documentation does not say in which order recordings play. ivrctl assumes this order: a call starts with `recording`. After each wrong key, also after the last one, callers hear `invalid.recording`. After a silence they hear `timeout.retry_recording`, and after the last one `timeout.recording`. Wrong keys and silences are counted separately.\n\nExits with 1 if the agent is blocked or not on the agent list, or if the call ends before all keys are pressed.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl call front-desk", "you are the caller"],
    ["ivrctl call +912241234567", "call the menu that lists this phone number"],
    ["ivrctl call front-desk --press 9,9,_", "two wrong keys, then silence"],
    ["ivrctl call front-desk --press 2 --format json", "for a script"],
    ["ivrctl call +912241234567 --from live", "what callers of this number get now"],
  ],
  async run(context) {
    const [called = ""] = context.args;
    const typed = context.flags.press;
    const live = typed.length === 0;
    if (live && !(context.terminal.interactive && context.format === "text")) {
      throw new UsageError(
        "Without a terminal, or with `--format json`, `ivrctl call` needs `--press`. Use `--press 1,2,_`, or `--press ''` for a silent caller.",
      );
    }
    const { menu, menus, environment, diagnostics } = await find(context, called);
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

/** The menu with a key or a phone number, and the menus that the call can continue in. */
async function find(context: Context<typeof flags>, called: string) {
  const project = await openSource(context, { from: context.flags.from, paths: [] });
  const isLive = context.flags.from === "live";
  const isNumber = /^\+[\d\s().-]+$/.test(called);
  const chosen = project.menus.find(({ key, numbers }) =>
    isNumber
      ? numbers.some((number) => phoneDigits(number) === phoneDigits(called))
      : key === called,
  );
  // An unreadable file has diagnostics, but no menu.
  const menuFile = chosen?.file ?? `${menuFolder}/${called}.yaml`;
  const { found, isUnsure } = problemsWith(new Set([menuFile]), project.diagnostics);
  const missing = new Diagnostics();
  if (!project.isRead)
    return { menu: undefined, menus: new Map(), environment: undefined, diagnostics: found };
  if (chosen === undefined && isNumber) {
    missing.addFile(
      "IVR313",
      menuFolder,
      isLive
        ? `On the service, \`${called}\` points to no menu.`
        : `No menu lists the phone number \`${called}\`.`,
      isLive ? numbersHelp : "Add it to a menu's `numbers:`, or specify the menu.",
    );
  } else if (chosen === undefined && !found.some(({ file }) => file === menuFile)) {
    const keys = project.menus.flatMap(({ key }) => key ?? []);
    reportNoKey(called, keys, missing, project.keyHelp);
  }
  return {
    menu: isUnsure ? undefined : chosen?.call,
    menus: project.flow.menus,
    environment: project.environment,
    diagnostics: [...found, ...missing.sorted()],
  };
}

const numbersHelp: Hint = { words: "To see what it points to, run:", argv: ["numbers"] };

function pressesOf(text: string, keys: readonly Press[]): Press[] {
  if (text.trim() === "") return [];
  return text.split(",").map((part) => {
    const key = canonicalKey(part.trim());
    if (canBePressed(key, keys)) return key;
    throw new UsageError(
      key === ""
        ? `\`--press ${text}\`: a key is missing. Write \`_\` for silence.`
        : `\`--press ${text}\`: \`${key}\` is neither a phone key (0-9, *, #) nor an option of this menu. Separate keys with commas, as in \`1,2\`.`,
    );
  });
}

/** Lets the user at the terminal make the call, line by line. */
async function converse(
  first: CallMenu,
  menus: CallMenus,
  environment: string | undefined,
  { host, terminal }: Context<typeof flags>,
): Promise<ExitCode> {
  const interruption = new Interruption(host, () => {});
  const stdin = host.stdin();
  // The terminal keeps its own line editing, so that Ctrl-C and Ctrl-Z stay signals.
  const lines = createInterface({ input: stdin, terminal: false });
  interruption.halt.addEventListener("abort", () => lines.close(), { once: true });
  const ask = () => terminal.say(terminal.style("dim", "  key? "));
  try {
    let call = begin(first);
    terminal.say(beginText(call, terminal));
    ask();
    for await (const line of lines) {
      const typed = line.trim();
      if (/^q(?:uit)?$/i.test(typed)) break;
      const keys = keysIn(typed, call.menu);
      if (keys === undefined) terminal.say(notAKeyText(typed, terminal));
      for (const key of keys ?? []) {
        call = press(call, key, menus);
        terminal.say(stepText(call, environment, terminal));
        if (call.state.at === "ended") return answers(call.state.destination) ? 0 : 1;
      }
      ask();
    }
    terminal.say("\nYou hung up.\n");
    return interruption.halt.aborted ? 130 : 0;
  } finally {
    lines.close();
    stdin.unref();
    interruption.end();
  }
}

/** The keys that a line means: one option, or keys of a phone one by one. Undefined if it is neither. */
function keysIn(typed: string, { options }: CallMenu): readonly Press[] | undefined {
  if (typed === "") return [silence];
  if (options.some(({ key }) => key === typed)) return [typed];
  const keys = typed.replaceAll(/[\s,]/g, "").split("");
  return keys.every((key) => /^[0-9*#_]$/.test(key)) ? keys : undefined;
}
