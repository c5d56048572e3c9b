import * as z from "zod/mini";
import { count, forEditors, matching, maybe, words } from "./common.ts";
import { keyPress, reached, via } from "./menu.ts";

const globs = (description: string) => {
  const glob = matching(
    /^[A-Za-z0-9._*?/-]+$/,
    "IVR212",
    "must be a key, or a pattern of keys with `*`, `**` and `?`",
    {
      description: "A menu's key; `*` and `?` stand for characters other than `/`, `**` for any.",
      numeric: true,
    },
  );
  return z.union([glob, z.array(glob)]).register(forEditors, { description });
};

/** What must hold on every way through every menu, or on those it names. */
export const Invariant = z
  .strictObject({
    name: maybe(words({ description: "What it is called when it is broken." })),
    menus: maybe(globs("The menus it holds for; all unless given.")),
    except: maybe(globs("Menus it does not hold for.")),
    key: maybe(keyPress),
    via: maybe(via),
    reaches: maybe(reached("Who must answer: any agent that has all these marks.")),
    not_blocked: maybe(
      z.literal(true).register(forEditors, {
        description: "true: whoever is reached is on the agent list and not blocked.",
      }),
    ),
    max_heard: maybe(count("How many recordings a caller hears at the most.")),
    max_steps: maybe(count("How often a caller presses a key or is silent, at the most.")),
  })
  .register(forEditors, {
    description:
      "What must hold on every way through every menu; with `key` or `via`, on that way. All that it says must hold.",
  });

export const Invariants = z
  .array(Invariant)
  .register(forEditors, { description: "What must hold on every way through every menu." });
