import * as z from "zod/mini";
import { keyPattern, keyRule, matching, maybe, forEditors } from "./common.ts";
import { Test } from "./menu.ts";

/** A document of a `*.test.yaml` file: tests that stand beside their menu. */
export const TestFile = z
  .strictObject({
    menu: maybe(
      matching(keyPattern, "IVR212", keyRule, {
        description:
          "The key of the menu that is tested; without it, this file's path without `.test`.",
        numeric: true,
      }),
    ),
    tests: z
      .array(Test)
      .register(forEditors, { description: "What callers do, and who they must reach." }),
  })
  .register(forEditors, { description: "Tests of a phone menu, run by `ivrctl test`." });
