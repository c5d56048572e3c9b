import type { CommandGroup } from "../cli/command.ts";

const group: CommandGroup = {
  about:
    "Show, repair or move the state: the record of the menus that exist on the service.\n\nNone of these commands contacts the service.",
  subcommands: {
    init: {
      about: "Begin the state of an environment, or recover a lost one",
      load: async () => (await import("./state-init.ts")).init,
    },
    list: {
      about: "List all menu keys and the open follow-ups",
      load: async () => (await import("./state-show.ts")).list,
    },
    show: {
      about: "Show everything on record about a menu key",
      load: async () => (await import("./state-show.ts")).show,
    },
    history: {
      about: "Show the history: who did what, and when",
      load: async () => (await import("./state-show.ts")).history,
    },
    resolve: {
      about: "Record which menus exist on the service, and their ids",
      load: async () => (await import("./state-resolve.ts")).resolve,
    },
    done: {
      about: "Mark follow-ups as done",
      load: async () => (await import("./state-done.ts")).done,
    },
    rm: {
      about: "Delete records; the menus stay on the service",
      load: async () => (await import("./state-edit.ts")).rm,
    },
    mv: {
      about: "Move a record to a different menu key",
      load: async () => (await import("./state-edit.ts")).mv,
    },
    rebind: {
      about: "Record that the service has a new address",
      load: async () => (await import("./state-edit.ts")).rebind,
    },
    pull: {
      about: "Write the state with its whole history to a file or stdout",
      load: async () => (await import("./state-transfer.ts")).pull,
    },
    push: {
      about: "Add the events of a file to the state",
      load: async () => (await import("./state-transfer.ts")).push,
    },
    migrate: {
      about: "Move the state to a different store",
      load: async () => (await import("./state-transfer.ts")).migrate,
    },
  },
  examples: [
    ["ivrctl state list", "all menu keys and the open follow-ups"],
    ["ivrctl state show front-desk", "everything about a menu key, and what to do next"],
    [
      "ivrctl state resolve front-desk --created",
      "record the outcome, after you have looked at the console",
    ],
  ],
};

export default group;
