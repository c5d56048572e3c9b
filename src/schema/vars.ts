import * as z from "zod/mini";
import { described, matching } from "./common.ts";

export const varName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** The variables that texts of menus can use. */
export const vars = described(
  z.record(
    matching(
      varName,
      "IVR203",
      "cannot be the name of a variable",
      "The name of a variable.",
      undefined,
      { help: "Use letters, digits, `_` and `-`. Start with a letter or `_`." },
    ),
    described(
      z.string(),
      "The text of the variable. It can use variables of outer levels.",
      "Thane",
      { numeric: true, exact: true },
    ),
  ),
  "Variables for texts: `{{shop}}` in a text is replaced by `vars: { shop: Thane }`.",
  { shop: "Thane" },
  { shape: "vars", must: "must map names to texts" },
);
