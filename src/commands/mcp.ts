import { command } from "../cli/command.ts";
import type { Tool } from "../mcp/tool.ts";
import { UsageError } from "../util/usage-error.ts";
import uses from "./agents-uses.ts";
import call from "./call.ts";
import diff from "./diff.ts";
import explain from "./explain.ts";
import fmt from "./fmt.ts";
import plan from "./plan.ts";
import show from "./show.ts";
import test from "./test.ts";
import validate from "./validate.ts";

/** Only what reads the files of the project. No tool has an option that writes a file or asks the service. */
const tools: readonly Tool[] = [
  { name: "validate", words: ["validate"], command: validate, options: [] },
  { name: "test", words: ["test"], command: test, options: ["coverage"] },
  { name: "call", words: ["call"], command: call, options: ["press"], required: ["press"] },
  { name: "diff", words: ["diff"], command: diff, options: [] },
  { name: "plan", words: ["plan", "--offline"], command: plan, options: ["target"] },
  { name: "show", words: ["show"], command: show, options: ["recordings"] },
  { name: "agents_uses", words: ["agents", "uses"], command: uses, options: [] },
  { name: "fmt_check", words: ["fmt", "--check"], command: fmt, options: [] },
  { name: "explain", words: ["explain"], command: explain, options: [] },
];

export default command({
  about:
    "Offer the commands that only read to a coding agent.\n\nA Model Context Protocol server, which the agent starts: it speaks on stdin and stdout. Its tools check, test, call and compare the menus of the project. No tool writes a file, the state or the service, reads a token or uses the network. Runs the project's custom rules. `ivrctl explain coding-agents` shows the settings.",
  examples: [
    ["ivrctl mcp", "the command for your coding agent's settings"],
    ["ivrctl mcp -C phones", "the project in this folder"],
  ],
  async run({ root, globals, host, run }) {
    const stdin = host.stdin();
    if (stdin.isTTY) {
      throw new UsageError(
        "A coding agent starts `ivrctl mcp` and talks to it on stdin. Run `ivrctl explain coding-agents` to see how to set it up.",
      );
    }
    const { serve } = await import("../mcp/mcp-server.ts");
    const problem = await serve(tools, { root, env: globals.env, host, run });
    // The agent may keep its end open, and the process would wait for more.
    stdin.destroy();
    if (problem !== undefined) throw new UsageError(problem);
    return {};
  },
});
