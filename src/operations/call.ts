import { createInterface } from "node:readline";
import { problemsWith } from "../call/callable-menu.ts";
import { type CallMenus, answers, begin, press, silence } from "../call/simulated-call.ts";
import { reportNoKey } from "../workspace/select-files.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { beginText, notAKeyText, stepText } from "../views/call-result.ts";
import { menuFolder } from "../project/files.ts";
import { phoneDigits } from "../util/phone.ts";
import type { Hint } from "../util/suggest.ts";
import { Interruption } from "../util/interruption.ts";
import type { ExitCode } from "../views/result.ts";
import type { CallMenu, Press } from "../model/call-menu.ts";
import type { Caller } from "./caller.ts";
import { openSource } from "./opened-source.ts";

/** The menu with a key or a phone number, and the menus that the call can continue in. */
export async function findCalled(caller: Caller, called: string, from: string | undefined) {
  const project = await openSource(caller, { from, paths: [] });
  const isLive = from === "live";
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
    const help = /^\d{7,}$/.test(called)
      ? `Write a phone number with \`+\` and the country code: \`+${called}\`.`
      : project.keyHelp;
    reportNoKey(called, keys, missing, help);
  }
  return {
    menu: isUnsure ? undefined : chosen?.call,
    menus: project.flow.menus,
    environment: project.environment,
    diagnostics: [...found, ...missing.sorted()],
  };
}

const numbersHelp: Hint = { words: "To see what it points to, run:", argv: ["numbers"] };

/** Lets the user at the terminal make the call, line by line. */
export async function converse(
  first: CallMenu,
  menus: CallMenus,
  environment: string | undefined,
  { host, terminal }: Caller,
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
