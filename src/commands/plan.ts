import { exitFor } from "../deploy/reasons/matter.ts";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import { writeOut } from "../project/write-file.ts";
import { UsageError } from "../util/usage-error.ts";
import { planResult, savedText } from "../views/plan/plan-result.ts";
import { planJson } from "../views/plan/plan-json.ts";
import { command } from "../cli/command.ts";
import { planFlags, planRequest, repeatedFlags } from "../cli/flags.ts";
import { suggest } from "../util/suggest.ts";
import { makePlan } from "../operations/made-plan.ts";

const flags = {
  out: {
    value: "FILE",
    about: "Save the plan to this file, so that `ivrctl apply FILE` does exactly this",
  },
  "detailed-exitcode": {
    about: "Exit with 2 if apply would send something or exit with 1 or 3",
  },
  offline: {
    conflicts: "agents",
    about: "Use the agent list of the project and a state in files, but no token and no network",
  },
  ...planFlags,
} as const;

export default command({
  about:
    "Show what apply would do, and what changes for callers. Identical changes are grouped.\n\nChanges nothing and takes no lock.\n\nExit codes: 0 if there is a plan, 1 if not, or if a file has to change, for example because an agent gets no calls. With --detailed-exitcode, 2 if apply would send something or exit with 1 or 3.",
  flags,
  formats: ["text", "json", "markdown"],
  examples: [
    ["ivrctl plan", "show what would change"],
    ["ivrctl plan --summary", "one line for each change"],
    ["ivrctl plan --verbose", "each menu on its own, with what changes in its payload"],
    ["ivrctl plan --out plan.json", "save the plan for a review and `ivrctl apply plan.json`"],
    ["ivrctl plan --target 'sales/*'", "only some menus"],
    ["ivrctl plan --format markdown", "for a comment on a pull request"],
  ],
  async run(context) {
    const { root, flags, terminal } = context;
    const { out } = flags;
    const request = planRequest(flags);
    if (out === "-") {
      throw new UsageError("`--out` must be a file. To print the same plan, use --format json.");
    }
    const diagnostics = new Diagnostics();
    const caller = flags.offline ? ({ ...context, reads: "offline" } as const) : context;
    const made = await makePlan(caller, { ...request, agentsFile: flags.agents }, diagnostics);
    const { planned } = made;
    const document = {
      ...made.shown,
      summary: flags.summary,
      payloads: terminal.verbose,
      diagnostics: diagnostics.sorted(),
    };
    const isMade = planned !== undefined && !planned.refused;
    const isSaved =
      isMade &&
      (out === undefined || writeOut(root, out, planJson(document), terminal, diagnostics));
    const failed = !isSaved || made.mustChangeFiles;
    const hasMore = (planned?.plan.changes.length ?? 0) > 0 || exitFor(document.matters) > 0;
    const exit = failed ? 1 : flags["detailed-exitcode"] && hasMore ? 2 : 0;
    const { environment } = made.shown;
    const argv = suggest("apply", [], environment ?? undefined, repeatedFlags(flags));
    const result = planResult({ ...document, diagnostics: diagnostics.sorted() }, argv);
    return {
      exit,
      ...result,
      ...(isSaved && out !== undefined && { next: (page) => savedText(out, page) }),
    };
  },
});
