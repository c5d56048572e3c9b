import type { CommandEntry } from "./command.ts";

/** All commands, in the order in which people first need them. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  init: {
    about: "Create a project, or add missing files to one",
    load: async () => (await import("../commands/init.ts")).default,
  },
  new: {
    about: "Write the file of another menu, or copy one",
    load: async () => (await import("../commands/new.ts")).default,
  },
  validate: {
    about: "Check menus and ivrctl.yaml for mistakes, offline",
    load: async () => (await import("../commands/validate.ts")).default,
  },
  compile: {
    about: "Print the payload of every menu as JSON",
    load: async () => (await import("../commands/compile.ts")).default,
  },
  show: {
    about: "Print a menu as it is after defaults and variables",
    load: async () => (await import("../commands/show.ts")).default,
  },
  call: {
    about: "Simulate a call to a menu, key by key",
    load: async () => (await import("../commands/call.ts")).default,
  },
  test: {
    about: "Run the tests of menus",
    load: async () => (await import("../commands/test.ts")).default,
  },
  graph: {
    about: "Draw menus as Mermaid, DOT or SVG",
    load: async () => (await import("../commands/graph.ts")).default,
  },
  preview: {
    about: "Serve a web page with a keypad to try menus while you edit",
    load: async () => (await import("../commands/preview.ts")).default,
  },
  diff: {
    about: "Show what changes for callers since a git revision",
    load: async () => (await import("../commands/diff.ts")).default,
  },
  plan: {
    about: "Show what apply would do, and what changes for callers",
    load: async () => (await import("../commands/plan.ts")).default,
  },
  apply: {
    about: "Create the planned menus on the service, and record them",
    load: async () => (await import("../commands/apply.ts")).default,
  },
  check: {
    about: "Find agents in live menus who have left or changed",
    load: async () => (await import("../commands/check.ts")).default,
  },
  state: {
    about: "Show, repair or move the state: the record of live menus",
    load: async () => (await import("../commands/state.ts")).default,
  },
  unlock: {
    about: "Release a lock that an ended run left behind",
    load: async () => (await import("../commands/unlock.ts")).default,
  },
  ci: {
    about: "Run the jobs of a pipeline on GitHub or GitLab",
    load: async () => (await import("../commands/ci.ts")).default,
  },
  agents: {
    about: "Show the agent list, or save it in agents.lock.json",
    load: async () => (await import("../commands/agents.ts")).default,
  },
  numbers: {
    about: "List the phone numbers of the account and what they lead to",
    load: async () => (await import("../commands/numbers.ts")).default,
  },
  fmt: {
    about: "Format menus, tests and ivrctl.yaml",
    load: async () => (await import("../commands/fmt.ts")).default,
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
  doctor: {
    about: "Check everything plan and apply need, and say how to fix each problem",
    load: async () => (await import("../commands/doctor.ts")).default,
  },
  sandbox: {
    about: "Run the embedded sandbox service on a local port",
    load: async () => (await import("../commands/sandbox.ts")).default,
  },
  completion: {
    about: "Print the completion script for your shell",
    load: async () => (await import("../commands/completion.ts")).default,
  },
  explain: {
    about: "Explain the code of a problem, or a rule, and how to fix it",
    load: async () => (await import("../commands/explain.ts")).default,
  },
};
