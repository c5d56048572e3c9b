import { Ajv, type Options } from "ajv";

/** A strict validator, which refuses keywords that neither draft-07 nor the YAML language server has. */
export function strictAjv(options: Options = {}): Ajv {
  return new Ajv({ strict: true, allowUnionTypes: true, ...options }).addVocabulary([
    "errorMessage",
    "patternErrorMessage",
    "enumDescriptions",
  ]);
}
