import { isCode } from "../diagnostics/codes.ts";
import { showCode, showCodes } from "../views/explain.ts";
import { UsageError, command } from "./command.ts";

export default command({
  takes: "[CODE]",
  maxArguments: 1,
  about: "Says what a diagnostic means and how to mend it; without a code, lists them all.",
  flags: {},
  completes: "code",
  formats: ["text", "json"],
  examples: [["ivrctl explain IVR302", "what the code at the head of a diagnostic means"]],
  async run({ args: [asked], format, terminal }) {
    if (asked === undefined) {
      showCodes(format, terminal);
      return 0;
    }
    const code = /^\d+$/.test(asked) ? `IVR${asked}` : asked.toUpperCase();
    if (!isCode(code)) {
      throw new UsageError(`There is no code ${asked}; \`ivrctl explain\` lists them all.`);
    }
    showCode(code, format, terminal);
    return 0;
  },
});
