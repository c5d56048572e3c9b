import { Ajv, type Options } from "ajv";

/** A strict validator, which refuses keywords that neither draft-07 nor the YAML language server has. */
export function strictAjv(options: Options = {}): Ajv {
  // Most tests check a few small values, and optimizing the code takes longer than that.
  const code = { optimize: false };
  return new Ajv({ strict: true, allowUnionTypes: true, code, ...options }).addVocabulary([
    "errorMessage",
    "patternErrorMessage",
    "enumDescriptions",
    "markdownDescription",
  ]);
}
