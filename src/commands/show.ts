import { command } from "../cli/command.ts";
import { sourceFlags } from "../cli/flags.ts";
import type { Caller } from "../operations/caller.ts";
import { findEffective } from "../operations/effective-menu.ts";
import { findScript } from "../operations/recording-script.ts";
import { UsageError } from "../util/usage-error.ts";
import { scriptCsv, scriptJson, scriptMarkdown, scriptText } from "../views/recording-script.ts";
import type { ResultIn } from "../views/result.ts";
import { shownMenuJson, shownMenuText } from "../views/menu-lines.ts";

export default command({
  arguments: {
    "[KEY]": "Menu key, or the path of its file (with --recordings: default all menus)",
  },
  about:
    "Print a menu as it is after defaults and variables.\n\nThe menu is valid YAML: every field that it gets from _defaults.yaml or ivrctl.yaml is written out, and variables are replaced. Uses neither the service nor the agent list, unless --from live asks for the menu that the service has.\n\nWith --recordings, print the recording script instead: what each recording says, where callers hear it, how long it is, and whether it must be recorded again. Reads the state, which knows the open follow-ups.",
  flags: {
    ...sourceFlags,
    origin: {
      conflicts: "from",
      about: "Print the file and line that each value comes from",
    },
    recordings: { conflicts: "origin", about: "Print the recording script of the menus" },
  },
  formats: ["text", "json", "markdown", "csv"],
  examples: [
    ["ivrctl show front-desk", "the menu with its defaults"],
    ["ivrctl show shops/thane --from live", "what the service has now"],
    ["ivrctl show shops/thane --origin", "where each value comes from"],
    ["ivrctl show --recordings --format csv", "what to record, for a spreadsheet"],
  ],
  async run(context) {
    const [key = ""] = context.args;
    const { from, recordings } = context.flags;
    if (recordings) return showRecordings(context, key || undefined, from);
    if (key === "") throw new UsageError("Choose a menu: `ivrctl show KEY`.");
    if (context.format === "markdown" || context.format === "csv") {
      throw new UsageError(`\`--format ${context.format}\` needs \`--recordings\`.`);
    }
    const { diagnostics, ...effective } = await findEffective(context, key, from);
    const menu = { key, ...effective, origins: context.flags.origin };
    const hasFailed = effective.menu === undefined || (from !== "live" && diagnostics.length > 0);
    return {
      exit: hasFailed ? 1 : 0,
      text: (page) => shownMenuText(menu, page),
      diagnostics,
      formatsHaveDiagnostics: true,
      // Only the recording script has the other formats.
      formats: { json: () => shownMenuJson(menu), markdown: () => "", csv: () => "" },
    };
  },
});

/** Shows the recording script of one menu or of all. */
async function showRecordings(
  caller: Caller,
  key: string | undefined,
  from: string | undefined,
): Promise<ResultIn<"json" | "markdown" | "csv">> {
  const { script, again, diagnostics } = await findScript(caller, key, from);
  return {
    text: (page) => scriptText(script, again, page),
    diagnostics,
    formats: {
      json: () => scriptJson(script, again),
      markdown: () => scriptMarkdown(script, again),
      csv: () => scriptCsv(script, again),
    },
  };
}
