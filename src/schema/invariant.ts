import * as z from "zod/mini";
import { count, described, either, listOf, mapping, matching, maybe, words } from "./common.ts";
import { keyPress, reached, via } from "./menu.ts";

const glob = matching(
  /^[A-Za-z0-9._*?/-]+$/,
  "IVR212",
  "must be a key, or a pattern of keys with `*`, `**` and `?`",
  {
    description: "A menu's key; `*` and `?` stand for characters other than `/`, `**` for any.",
    numeric: true,
  },
);

const globs = (description: string) => maybe(either([glob, z.array(glob)], description));

/** What must hold on every path through every menu, or through those it names. */
export const Invariant = mapping(
  {
    name: maybe(words("What it is called when it is broken.")),
    menus: globs("The menus it holds for; all unless given."),
    except: globs("Menus it does not hold for."),
    key: maybe(keyPress),
    via: maybe(via),
    reaches: maybe(reached("Who must answer: any agent that has all these marks.")),
    not_blocked: maybe(
      described(z.literal(true), "true: whoever is reached is on the agent list and not blocked."),
    ),
    max_heard: maybe(count("How many recordings a caller hears at the most.")),
    max_steps: maybe(count("How often a caller presses a key or is silent, at the most.")),
  },
  "What must hold on every way through every menu; with `key` or `via`, on that way. All that it says must hold.",
);

export const Invariants = listOf(Invariant, "What must hold on every way through every menu.");
