import * as z from "zod/mini";
import {
  count,
  described,
  unionOf,
  listOf,
  mapping,
  matching,
  optional,
  words,
} from "./field-types.ts";
import { keyPress, via } from "./menu.ts";
import { reached } from "./destination.ts";

const glob = matching(
  /^[A-Za-z0-9._*?/-]+$/,
  "IVR212",
  "must be a menu key, or a pattern with `*`, `**` and `?`",
  "A menu key, or a pattern such as `sales/*`. `*` matches any characters, including `/`, and `?` matches one.",
  "sales/*",
  { numeric: true },
);

const globs = (description: string) =>
  unionOf([glob, z.array(glob)], {
    description,
    must: "must be a menu key, a pattern, or a list of them",
    examples: ["sales/*", ["sales/*", "front-desk"]],
  });

/** A rule for every path through every menu, or through the menus that it names. */
export const InvariantSchema = mapping(
  optional({
    name: words("The name of the invariant in reports.", "0 reaches an operator"),
    menus: globs("The menus that this applies to. Default: all menus."),
    except: globs("The menus that this does not apply to."),
    key: keyPress,
    via,
    reaches: reached(
      "The agent that the call must reach. A mapping such as `{ team: Operators }` allows every agent that matches it.",
    ),
    not_blocked: described(
      z.literal(true),
      "With `true`, every agent that a call reaches must be on the agent list and not blocked.",
    ),
    max_heard: count("The largest number of recordings that a caller may hear.", 5),
    max_steps: count("The largest number of keys and silences in a call.", 4),
  }),
  {
    description:
      "A rule that must hold on every path through the menus, for example `{ key: 0, reaches: { team: Operators } }`. With `key` or `via`, it applies to that path only.",
    examples: [{ key: 0, reaches: { team: "Operators" } }],
    someOf: ["reaches", "not_blocked", "max_heard", "max_steps"],
    lacking: {
      code: "IVR802",
      message: "This invariant does not say what must hold.",
      hint: "Add `reaches:`, `not_blocked: true`, `max_heard:` or `max_steps:`.",
      severity: "error",
    },
  },
);

export const Invariants = listOf(
  InvariantSchema,
  "Rules that must hold on every path through the menus. `ivrctl test` checks them.",
  [{ key: 0, reaches: { team: "Operators" } }],
);
