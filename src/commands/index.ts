import type { Command } from "./command.ts";

interface Entry {
  readonly about: string;
  /** Loaded only when called. */
  load(): Promise<Command>;
}

/** The map of commands, in the order in which people meet them. */
export const commands: Readonly<Record<string, Entry>> = {
  validate: {
    about: "find every mistake that can be known offline, at its very character",
    load: async () => (await import("./validate.ts")).default,
  },
  compile: {
    about: "print the payload of every menu as JSON",
    load: async () => (await import("./compile.ts")).default,
  },
  call: {
    about: "walk a call through a menu, key by key",
    load: async () => (await import("./call.ts")).default,
  },
  test: {
    about: "walk the tests' calls through the menus",
    load: async () => (await import("./test.ts")).default,
  },
  diff: {
    about: "show what changes for callers since a git revision",
    load: async () => (await import("./diff.ts")).default,
  },
  plan: {
    about: "show what apply would do, and what changes for callers",
    load: async () => (await import("./plan.ts")).default,
  },
  apply: {
    about: "create what the plan says, once, and record it",
    load: async () => (await import("./apply.ts")).default,
  },
  check: {
    about: "ask whether everything that was applied is still sound",
    load: async () => (await import("./check.ts")).default,
  },
  state: {
    about: "the record of what was created, and its repair",
    load: async () => (await import("./state.ts")).default,
  },
  unlock: {
    about: "release the lock of a run that is dead",
    load: async () => (await import("./unlock.ts")).default,
  },
  agents: {
    about: "show the service's agent list, or keep it in agents.lock.json",
    load: async () => (await import("./agents.ts")).default,
  },
  fmt: {
    about: "bring files into the canonical layout, comments kept",
    load: async () => (await import("./fmt.ts")).default,
  },
  import: {
    about: "make menus of payloads or pasted curl commands, with names",
    load: async () => (await import("./import.ts")).default,
  },
  schema: {
    about: "print the JSON Schema for editors",
    load: async () => (await import("./schema.ts")).default,
  },
  doctor: {
    about: "find what would keep plan or apply from working, each with its mend",
    load: async () => (await import("./doctor.ts")).default,
  },
  sandbox: {
    about: "the embedded service on a port, for any client",
    load: async () => (await import("./sandbox.ts")).default,
  },
  completion: {
    about: "print the script that completes commands, flags and names in your shell",
    load: async () => (await import("./completion.ts")).default,
  },
  explain: {
    about: "say what a diagnostic means and how to mend it",
    load: async () => (await import("./explain.ts")).default,
  },
};
