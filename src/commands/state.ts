import type { CommandGroup } from "../cli/command.ts";

const group: CommandGroup = {
  about:
    "Show, repair or move the state: the record of the menus that exist on the service.\n\nNone of these commands contacts the service.",
  subcommands: {
    init: async () => (await import("./state-init.ts")).init,
    list: async () => (await import("./state-show.ts")).list,
    show: async () => (await import("./state-show.ts")).show,
    history: async () => (await import("./state-show.ts")).history,
    resolve: async () => (await import("./state-resolve.ts")).resolve,
    done: async () => (await import("./state-done.ts")).done,
    rm: async () => (await import("./state-edit.ts")).rm,
    mv: async () => (await import("./state-edit.ts")).mv,
    rebind: async () => (await import("./state-edit.ts")).rebind,
    pull: async () => (await import("./state-transfer.ts")).pull,
    push: async () => (await import("./state-transfer.ts")).push,
    migrate: async () => (await import("./state-transfer.ts")).migrate,
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
