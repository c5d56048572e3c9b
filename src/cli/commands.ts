import type { CommandEntry } from "./command.ts";

/** All commands, in the order in which people meet them. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  init: {
    about: "Create a project that works at once, or add what is missing",
    load: async () => (await import("../commands/init.ts")).default,
  },
  validate: {
    about: "Report every mistake that can be found offline",
    load: async () => (await import("../commands/validate.ts")).default,
  },
  compile: {
    about: "Print the payload of every menu as JSON",
    load: async () => (await import("../commands/compile.ts")).default,
  },
  call: {
    about: "Walk through a menu as a caller, key by key",
    load: async () => (await import("../commands/call.ts")).default,
  },
  test: {
    about: "Run the tests of the menus",
    load: async () => (await import("../commands/test.ts")).default,
  },
  graph: {
    about: "Draw menus as Mermaid, DOT or SVG, and the agents they share",
    load: async () => (await import("../commands/graph.ts")).default,
  },
  preview: {
    about: "Serve a page with a keypad to try every menu while you edit",
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
    about: "Create what the plan shows, once, and record it",
    load: async () => (await import("../commands/apply.ts")).default,
  },
  check: {
    about: "Check applied menus against the current agent list",
    load: async () => (await import("../commands/check.ts")).default,
  },
  state: {
    about: "Show and repair the record of what was created",
    load: async () => (await import("../commands/state.ts")).default,
  },
  unlock: {
    about: "Release the lock of a run that has died",
    load: async () => (await import("../commands/unlock.ts")).default,
  },
  agents: {
    about: "Show the agent list, or save it in agents.lock.json",
    load: async () => (await import("../commands/agents.ts")).default,
  },
  fmt: {
    about: "Format menus and ivrctl.yaml, and keep comments",
    load: async () => (await import("../commands/fmt.ts")).default,
  },
  import: {
    about: "Turn payloads or pasted curl commands into menus",
    load: async () => (await import("../commands/import.ts")).default,
  },
  schema: {
    about: "Print the JSON Schema for editors",
    load: async () => (await import("../commands/schema.ts")).default,
  },
  doctor: {
    about: "Check everything plan and apply need, and say how to fix problems",
    load: async () => (await import("../commands/doctor.ts")).default,
  },
  sandbox: {
    about: "Serve the embedded sandbox service on a port, for any client",
    load: async () => (await import("../commands/sandbox.ts")).default,
  },
  completion: {
    about: "Print the completion script for your shell",
    load: async () => (await import("../commands/completion.ts")).default,
  },
  explain: {
    about: "Explain a diagnostic and how to fix it",
    load: async () => (await import("../commands/explain.ts")).default,
  },
};
