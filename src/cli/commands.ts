import type { CommandEntry } from "./command.ts";

/** All commands under the headings of the help, in the order in which people first need them. */
export const commandGroups: readonly {
  readonly heading: string;
  readonly commands: Readonly<Record<string, CommandEntry>>;
}[] = [
  {
    heading: "Write menus:",
    commands: {
      init: {
        about: "Create a project, or add missing files to one",
        load: async () => (await import("../commands/init.ts")).default,
      },
      validate: {
        about: "Check menus and ivrctl.yaml for mistakes, offline",
        load: async () => (await import("../commands/validate.ts")).default,
      },
      fmt: {
        about: "Format menus, tests and ivrctl.yaml",
        load: async () => (await import("../commands/fmt.ts")).default,
      },
      show: {
        about: "Print a menu as it is after defaults and variables",
        load: async () => (await import("../commands/show.ts")).default,
      },
      compile: {
        about: "Print the payload of every menu as JSON",
        load: async () => (await import("../commands/compile.ts")).default,
      },
      import: {
        about: "Create menus from payloads or pasted curl commands",
        load: async () => (await import("../commands/import.ts")).default,
      },
      schema: {
        about: "Print the JSON Schemas for editors",
        load: async () => (await import("../commands/schema.ts")).default,
      },
      lsp: {
        about: "Check and complete menus in an editor while you type",
        load: async () => (await import("../commands/lsp.ts")).default,
      },
    },
  },
  {
    heading: "Try menus:",
    commands: {
      call: {
        about: "Simulate a call to a menu, key by key",
        load: async () => (await import("../commands/call.ts")).default,
      },
      test: {
        about: "Run the tests of menus",
        load: async () => (await import("../commands/test.ts")).default,
      },
      graph: {
        about: "Draw menus as Mermaid or SVG",
        load: async () => (await import("../commands/graph.ts")).default,
      },
      preview: {
        about: "Serve a web page with a keypad to try menus while you edit",
        load: async () => (await import("../commands/preview.ts")).default,
      },
      sandbox: {
        about: "Run the embedded sandbox service on a local port",
        load: async () => (await import("../commands/sandbox.ts")).default,
      },
    },
  },
  {
    heading: "Deploy menus:",
    commands: {
      plan: {
        about: "Show what apply would do, and what changes for callers",
        load: async () => (await import("../commands/plan.ts")).default,
      },
      apply: {
        about: "Create the planned menus on the service, and record them",
        load: async () => (await import("../commands/apply.ts")).default,
      },
      diff: {
        about: "Show what changes for callers since a git revision",
        load: async () => (await import("../commands/diff.ts")).default,
      },
      agents: {
        about: "Show the agent list, or save it in agents.lock.json",
        load: async () => (await import("../commands/agents.ts")).default,
      },
      numbers: {
        about: "List the phone numbers of the account and what they lead to",
        load: async () => (await import("../commands/numbers.ts")).default,
      },
      ci: {
        about: "Run the jobs of a pipeline on GitHub or GitLab",
        load: async () => (await import("../commands/ci.ts")).default,
      },
    },
  },
  {
    heading: "Repair the state:",
    commands: {
      state: {
        about: "Show, repair or move the state: the record of live menus",
        load: async () => (await import("../commands/state.ts")).default,
      },
      unlock: {
        about: "Release a lock that an ended run left behind",
        load: async () => (await import("../commands/unlock.ts")).default,
      },
    },
  },
  {
    heading: "Get help:",
    commands: {
      doctor: {
        about: "Check everything plan and apply need, and say how to fix each problem",
        load: async () => (await import("../commands/doctor.ts")).default,
      },
      explain: {
        about: "Explain the code of a problem, or a rule, and how to fix it",
        load: async () => (await import("../commands/explain.ts")).default,
      },
    },
  },
];

export const commands: Readonly<Record<string, CommandEntry>> = Object.assign(
  {},
  ...commandGroups.map((group) => group.commands),
);
