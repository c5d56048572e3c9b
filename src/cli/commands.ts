import type { Command, CommandGroup } from "./command.ts";

/** Loads the module of a command, when the command line names it. */
type Load = () => Promise<Command | CommandGroup>;

const from =
  (load: () => Promise<{ readonly default: Command | CommandGroup }>): Load =>
  async () =>
    (await load()).default;

/** The subcommands that the help also lists, because people need them before the commands of a heading. */
export const firstSubcommands: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "Deploy menus:": [["state", "init"]],
};

/** All commands under the headings of the help, in the order in which people first need them. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  "Write menus:": {
    init: from(() => import("../commands/init.ts")),
    edit: from(() => import("../commands/edit.ts")),
    validate: from(() => import("../commands/validate.ts")),
    fmt: from(() => import("../commands/fmt.ts")),
    show: from(() => import("../commands/show.ts")),
    compile: from(() => import("../commands/compile.ts")),
    import: from(() => import("../commands/import.ts")),
    schema: from(() => import("../commands/schema.ts")),
    lsp: from(() => import("../commands/lsp.ts")),
    mcp: from(() => import("../commands/mcp.ts")),
  },
  "Try menus:": {
    call: from(() => import("../commands/call.ts")),
    test: from(() => import("../commands/test.ts")),
    graph: from(() => import("../commands/graph.ts")),
    preview: from(() => import("../commands/preview.ts")),
    sandbox: from(() => import("../commands/sandbox.ts")),
  },
  "Deploy menus:": {
    plan: from(() => import("../commands/plan.ts")),
    trial: from(() => import("../commands/trial.ts")),
    apply: from(() => import("../commands/apply.ts")),
    diff: from(() => import("../commands/diff.ts")),
    agents: from(() => import("../commands/agents.ts")),
    numbers: from(() => import("../commands/numbers.ts")),
    ci: from(() => import("../commands/ci.ts")),
  },
  "Repair the state:": {
    state: from(() => import("../commands/state.ts")),
    unlock: from(() => import("../commands/unlock.ts")),
  },
  "Get help:": {
    doctor: from(() => import("../commands/doctor.ts")),
    explain: from(() => import("../commands/explain.ts")),
    completion: from(() => import("../commands/completion.ts")),
  },
};

export const commands: Readonly<Record<string, Load>> = Object.fromEntries(
  Object.values(commandGroups).flatMap((group) => Object.entries(group)),
);
