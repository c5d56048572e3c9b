import * as z from "zod/mini";
import { described, matching } from "./common.ts";

export const varName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The variables that texts of menus can use. */
export const vars = described(
  z.record(
    matching(varName, "IVR203", "cannot be the name of a variable", {
      description: "The name of a variable.",
      help: "Use letters, digits, `_` and `-`. Start with a letter or `_`.",
    }),
    described(z.string(), {
      description: "The text of the variable. It can use variables of outer levels.",
      numeric: true,
      exact: true,
      examples: ["Thane"],
    }),
  ),
  {
    description:
      "Variables for texts: `{{shop}}` in a text is replaced by `vars: { shop: Thane }`.",
    shape: "vars",
    must: "must map names to texts",
    examples: [{ shop: "Thane" }],
  },
);
