import * as z from "zod/mini";
import { documented, jsonListOf, output, shared, jsonText, textOrNull } from "./shared-fields.ts";

const place = {
  file: jsonText("The file that refers to the agent there: the menu's file, or one with defaults."),
  line: z.int(),
  column: z.int(),
};

const Caller = shared(
  "caller",
  "How callers get there.",
  z.strictObject({
    number: textOrNull("The phone number that they call. Null for a first menu without one."),
    key: jsonText("The key of the first menu."),
    press: jsonListOf(
      "What they press, as few keys as possible. `wrong keys` and `silence` are no keys.",
      z.string(),
    ),
  }),
);

const Use = shared(
  "use",
  "A key or a fallback that reaches the agent.",
  z.strictObject({
    key: jsonText("The key of the menu."),
    via: documented(
      "A key of the menu, wrong keys, or silence.",
      z.enum(["option", "invalid", "timeout"]),
    ),
    press: textOrNull("The key that callers press. Null for a fallback."),
    for: textOrNull("What callers hear that the key is for."),
    ...place,
    callers: jsonListOf("How callers get there. Empty if no call does.", Caller),
  }),
);

export const AgentUsesOutput = output("agents uses", {
  agent: documented(
    "The agent. Null if the name means nobody or several.",
    z.nullable(
      z.strictObject({
        name: z.string(),
        eid: z.nullable(z.string()),
        team: z.nullable(z.string()),
        blocked: z.boolean(),
        listed: documented("Whether the agent is on the agent list.", z.boolean()),
      }),
    ),
  ),
  uses: jsonListOf("The keys and fallbacks that reach the agent.", Use),
  elsewhere: jsonListOf(
    "The other places that refer to the agent: tests, rules, unused defaults, other environments' menus.",
    z.strictObject(place),
  ),
});
