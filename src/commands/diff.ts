import { command } from "../cli/command.ts";
import { summaryFlags } from "../cli/flags.ts";
import { compare } from "../operations/compare.ts";

const flags = {
  ...summaryFlags,
  "detailed-exitcode": { about: "Exit with 2 if anything changes" },
} as const;

export default command({
  arguments: { "[REF]": "Git revision (default: HEAD), or live: what the service has now" },
  about:
    "Show what changes for callers since a git revision, or compared with the service.\n\nA comparison with a revision uses neither the state nor the service. Both versions are compiled with the current agent list. `diff live` needs `operations: [list]`, and only reads. Menus that ivrctl does not manage are only counted.",
  flags,
  formats: ["text", "json", "markdown"],
  examples: [
    ["ivrctl diff", "changes that are not committed yet"],
    ["ivrctl diff origin/main", "changes of a branch"],
    ["ivrctl diff live", "what callers of the service would notice"],
    ["ivrctl diff v1.2 --format markdown", "for a comment on a pull request"],
  ],
  run: ({ args: [ref = "HEAD"], flags, ...context }) =>
    compare(context, {
      ref,
      summary: flags.summary,
      hasDetailedExit: flags["detailed-exitcode"],
    }),
});
