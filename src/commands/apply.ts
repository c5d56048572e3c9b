import { suggest } from "../util/suggest.ts";
import { UsageError } from "../util/usage-error.ts";
import { type NextCommand, appliedResult } from "../views/apply-result.ts";
import { type Context, command } from "../cli/command.ts";
import {
  approveFlags,
  lockFlags,
  planFlags,
  planRequest,
  repeatedFlags,
  requireTerminal,
} from "../cli/flags.ts";
import { apply } from "../operations/apply.ts";

const flags = {
  ...approveFlags,
  ...planFlags,
  ...lockFlags,
} as const;

export default command({
  arguments: { "[FILE]": "Plan from `ivrctl plan --out FILE` (default: make a plan and ask)" },
  about:
    "Create the planned menus on the service, and record them in the state.\n\nWithout a plan file, apply makes a plan, shows it and asks. With a plan file, it does exactly what the plan says, or refuses. It never repeats a request whose outcome is unknown.\n\nExit codes: 0 if everything is done, 1 if something failed or needs manual action, 3 if an outcome is unknown, 4 if the state is locked.",
  flags,
  formats: ["text", "json"],
  examples: [
    ["ivrctl apply", "make a plan, review it, confirm it"],
    ["ivrctl apply plan.json", "in a pipeline: apply exactly what was reviewed"],
    ["ivrctl apply --auto-approve", "without asking"],
  ],
  async run(context) {
    const { args, flags } = context;
    const [saved] = args;
    const request = planRequest(flags);
    if (saved === undefined) {
      requireTerminal(context, "Add --auto-approve, or a plan file from `ivrctl plan --out`.");
    } else if (request.allowed.size > 0 || request.targets.isNarrow) {
      throw new UsageError({
        words:
          "A plan file decides what is allowed and included. Use the options when you make it:",
        argv: ["plan", ...repeatedFlags(flags), "--out", "FILE"],
      });
    }
    const ended = await apply(context, {
      ...request,
      saved,
      isApproved: flags["auto-approve"],
      agentsFile: flags.agents,
      summary: flags.summary,
      lockTimeout: flags["lock-timeout"],
    });
    return appliedResult(ended, nextCommand(context, ended.environment ?? ""));
  },
});

/**
 * The command that continues this one. A plan file can be applied again, and does what is left of it.
 * Only menus that waited need a new plan.
 */
function nextCommand(context: Context<typeof flags>, environment: string): NextCommand {
  const [file] = context.args;
  if (file !== undefined)
    return { again: ["apply", file], later: suggest("plan", [], environment) };
  const { flags, terminal } = context;
  const approve = flags["auto-approve"] && !terminal.interactive ? ["--auto-approve"] : [];
  const again = suggest("apply", [], environment, [...approve, ...repeatedFlags(flags)]);
  return { again, later: again };
}
