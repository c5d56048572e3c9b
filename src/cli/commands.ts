import type { Command, CommandEntry, CommandGroup } from "./command.ts";

type Load = () => Promise<{ readonly default: Command | CommandGroup }>;

/** All commands under the headings of the help, in the order in which people first need them. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  "Write menus:": {
    init: () => import("../commands/init.ts"),
    validate: () => import("../commands/validate.ts"),
    fmt: () => import("../commands/fmt.ts"),
    show: () => import("../commands/show.ts"),
    compile: () => import("../commands/compile.ts"),
    import: () => import("../commands/import.ts"),
    schema: () => import("../commands/schema.ts"),
    lsp: () => import("../commands/lsp.ts"),
  },
  "Try menus:": {
    call: () => import("../commands/call.ts"),
    test: () => import("../commands/test.ts"),
    graph: () => import("../commands/graph.ts"),
    preview: () => import("../commands/preview.ts"),
    sandbox: () => import("../commands/sandbox.ts"),
  },
  "Deploy menus:": {
    plan: () => import("../commands/plan.ts"),
    apply: () => import("../commands/apply.ts"),
    diff: () => import("../commands/diff.ts"),
    agents: () => import("../commands/agents.ts"),
    numbers: () => import("../commands/numbers.ts"),
    ci: () => import("../commands/ci.ts"),
  },
  "Repair the state:": {
    state: () => import("../commands/state.ts"),
    unlock: () => import("../commands/unlock.ts"),
  },
  "Get help:": {
    doctor: () => import("../commands/doctor.ts"),
    explain: () => import("../commands/explain.ts"),
  },
};

export const commands: Readonly<Record<string, CommandEntry>> = Object.fromEntries(
  Object.values(commandGroups)
    .flatMap((group) => Object.entries(group))
    .map(([name, load]) => [name, { load: async () => (await load()).default }]),
);
