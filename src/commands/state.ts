import type { CommandGroup } from "../cli/command.ts";

const group: CommandGroup = {
  about:
    "Shows and repairs the record of what was created on the service. No subcommand contacts the service: each records what you say.",
  subcommands: {
    list: {
      about: "List every key and the open follow-ups",
      load: async () => (await import("./state-show.ts")).list,
    },
    show: {
      about: "Show everything on record about a key",
      load: async () => (await import("./state-show.ts")).show,
    },
    history: {
      about: "Show who did what, and when",
      load: async () => (await import("./state-show.ts")).history,
    },
    resolve: {
      about: "Record the outcome of a create whose outcome is unknown",
      load: async () => (await import("./state-resolve.ts")).resolve,
    },
    done: {
      about: "Mark a follow-up as done",
      load: async () => (await import("./state-resolve.ts")).done,
    },
    adopt: {
      about: "Record a menu that exists on the service already",
      load: async () => (await import("./state-adopt.ts")).adopt,
    },
    forget: {
      about: "Delete the record of a key; the service keeps its menu",
      load: async () => (await import("./state-edit.ts")).forget,
    },
    mv: {
      about: "Move a record to another key",
      load: async () => (await import("./state-edit.ts")).mv,
    },
    rebind: {
      about: "Record that the same account has a new address",
      load: async () => (await import("./state-edit.ts")).rebind,
    },
    accept: {
      about: "Continue with a journal whose state file is lost",
      load: async () => (await import("./state-accept.ts")).accept,
    },
    pull: {
      about: "Write the state with its whole history to a file",
      load: async () => (await import("./state-transfer.ts")).pull,
    },
    push: {
      about: "Read a state from a file, or a rescue file",
      load: async () => (await import("./state-transfer.ts")).push,
    },
    migrate: {
      about: "Move the state to another store",
      load: async () => (await import("./state-migrate.ts")).migrate,
    },
    discard: {
      about: "Delete what an interrupted push or migrate has copied so far",
      load: async () => (await import("./state-discard.ts")).discard,
    },
  },
  examples: [
    ["ivrctl state list", "every key, and the follow-ups that are open"],
    ["ivrctl state show front-desk", "everything about a key, and how to resolve it"],
    [
      "ivrctl state resolve front-desk --created",
      "record the outcome, after a look at the provider's console",
    ],
  ],
};

export default group;
