import * as z from "zod/mini";
import {
  type OwnContent,
  documented,
  jsonCount,
  jsonListOf,
  output,
  shared,
  jsonText,
  textOrNull,
} from "./shared-fields.ts";

const Reached = shared(
  "reached",
  "Where a call ends.",
  z.strictObject({
    name: jsonText("The agent, the menu or the other destination."),
    eid: textOrNull("The extension of the agent. Null if it is no agent."),
    problem: z.optional(
      documented(
        "Why no agent is reached there.",
        z.enum([
          "blocked",
          "not-listed",
          "several",
          "no-extension",
          "no-menu",
          "invalid-menu",
          "gone",
        ]),
      ),
    ),
  }),
);

const Via = shared(
  "via",
  "A key of the menu, a wrong key, or silence.",
  z.enum(["option", "invalid", "timeout"]),
);

const heard = jsonListOf("The recordings that the caller hears, in order.", z.string());

const Step = shared(
  "step",
  "A key or a silence of the caller.",
  z.strictObject({
    in: jsonText("The key of the menu that the caller is in."),
    press: jsonText("The key, or `_` for silence."),
    as: Via,
    count: jsonCount("How many of these the caller has made, this one included."),
    of: jsonCount("How many of these end the call."),
    heard,
    next: documented(
      "Whether the menu waits for the next key, the call enters a different menu, or it ends.",
      z.enum(["wait", "enter", "end"]),
    ),
  }),
);

const call = {
  reached: Reached,
  via: Via,
  heard,
  in: jsonText("The key of the menu that the call is in after the last key."),
  steps: jsonCount("How many keys and silences the call has."),
};

const Test = shared(
  "test-result",
  "A test, or an invariant that a menu breaks.",
  z.strictObject({
    key: jsonText("The key of the menu."),
    name: jsonText("The name of the test or of the invariant."),
    passed: z.boolean(),
    file: jsonText("The file of the test or of the invariant."),
    line: z.int(),
    expected: documented(
      "What the test names, or what the invariant says.",
      z.union([
        z.strictObject({ invariant: jsonText("What the invariant says about the call.") }),
        z.partial(z.strictObject(call)),
      ]),
    ),
    actual: documented(
      "What happens to the caller.",
      z.strictObject({
        ...call,
        unused: jsonListOf("The keys that were left when the call ended.", z.string()),
        walk: jsonListOf("The steps of the call.", Step),
      }),
    ),
  }),
);

export const TestOutput = output("test", {
  summary: z.strictObject({ passed: z.int(), failed: z.int() }),
  tests: jsonListOf("The tests, then every invariant that a menu breaks, as a failed test.", Test),
  not_run: jsonListOf("The keys of menus whose tests were skipped because of errors.", z.string()),
  coverage: z.optional(
    documented(
      "Which paths the tests take. Only with `--coverage`.",
      z.strictObject({
        paths: z.int(),
        tested: z.int(),
        percent: documented("Rounded down to a tenth.", z.number()),
        menus: z.readonly(
          z.array(
            z.strictObject({
              key: jsonText("The key of the menu."),
              paths: z.int(),
              untested: jsonListOf("The paths that no test takes.", z.string()),
            }),
          ),
        ),
      }),
    ),
  ),
});

export type TestContent = OwnContent<typeof TestOutput>;
export type TestCall = z.infer<typeof Test>;
export type ReachedOutput = z.infer<typeof Reached>;
export type StepOutput = z.infer<typeof Step>;
