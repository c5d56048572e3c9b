import type { Command, CommandEntry, CommandGroup } from "./command.ts";

type Module = { readonly default: Command | CommandGroup };

const entry = (load: () => Promise<Module>): CommandEntry => ({
  load: async () => (await load()).default,
});

/** All commands under the headings of the help, in the order in which people first need them. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  "Write menus:": {
    init: entry(() => import("../commands/init.ts")),
    validate: entry(() => import("../commands/validate.ts")),
    fmt: entry(() => import("../commands/fmt.ts")),
    show: entry(() => import("../commands/show.ts")),
    compile: entry(() => import("../commands/compile.ts")),
    import: entry(() => import("../commands/import.ts")),
    schema: entry(() => import("../commands/schema.ts")),
    lsp: entry(() => import("../commands/lsp.ts")),
  },
  "Try menus:": {
    call: entry(() => import("../commands/call.ts")),
    test: entry(() => import("../commands/test.ts")),
    graph: entry(() => import("../commands/graph.ts")),
    preview: entry(() => import("../commands/preview.ts")),
    sandbox: entry(() => import("../commands/sandbox.ts")),
  },
  "Deploy menus:": {
    plan: entry(() => import("../commands/plan.ts")),
    apply: entry(() => import("../commands/apply.ts")),
    diff: entry(() => import("../commands/diff.ts")),
    agents: entry(() => import("../commands/agents.ts")),
    numbers: entry(() => import("../commands/numbers.ts")),
    ci: entry(() => import("../commands/ci.ts")),
  },
  "Repair the state:": {
    state: entry(() => import("../commands/state.ts")),
    unlock: entry(() => import("../commands/unlock.ts")),
  },
  "Get help:": {
    doctor: entry(() => import("../commands/doctor.ts")),
    explain: entry(() => import("../commands/explain.ts")),
  },
};

export const commands: Readonly<Record<string, CommandEntry>> = Object.fromEntries(
  Object.values(commandGroups).flatMap((group) => Object.entries(group)),
);
