import type { CommandGroup } from "../cli/command.ts";
import { done } from "./state-done.ts";
import { mv, rebind, rm } from "./state-edit.ts";
import { init } from "./state-init.ts";
import { resolve } from "./state-resolve.ts";
import { history, list, show } from "./state-show.ts";
import { migrate, pull, push } from "./state-transfer.ts";

const group: CommandGroup = {
  about:
    "Show, repair or move the state: the record of the menus that exist on the service.\n\nNone of these commands contacts the service.",
  subcommands: {
    init,
    list,
    show,
    history,
    resolve,
    done,
    rm,
    mv,
    rebind,
    pull,
    push,
    migrate,
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
