import * as z from "zod/mini";
import type { JsonSchema } from "../json-schema.ts";
import { AgentUsesOutput } from "./agents-output.ts";
import { ApplyOutput } from "./apply-output.ts";
import { Failure, forPrograms, output } from "./shared-fields.ts";
import { DiffOutput, PlanOutput } from "./plan-output.ts";
import { StateHistoryOutput, StateListOutput, StateShowOutput } from "./state-output.ts";
import { TestOutput } from "./test-output.ts";

/** What each command prints with `--format json`. */
export const outputs = {
  "validate-output": output("validate", {}),
  "agents-uses-output": AgentUsesOutput,
  "test-output": TestOutput,
  "diff-output": DiffOutput,
  "plan-output": PlanOutput,
  "apply-output": ApplyOutput,
  "state-list-output": StateListOutput,
  "state-show-output": StateShowOutput,
  "state-history-output": StateHistoryOutput,
} as const;

export type OutputName = keyof typeof outputs;

/** Whether the JSON of a command has a schema: `plan-output`. */
export function isOutputName(word: string): word is OutputName {
  return Object.hasOwn(outputs, word);
}

/** The commands whose JSON has a schema. */
export const outputNames: readonly OutputName[] = Object.keys(outputs).filter(isOutputName);

/**
 * The JSON Schema (draft-07) of everything that a command prints with `--format json`. Only programs
 * that check the output need it: commands use the types alone.
 */
export function outputSchema(name: OutputName): JsonSchema {
  return z.toJSONSchema(z.union([outputs[name], Failure]), {
    target: "draft-07",
    metadata: forPrograms,
    override({ jsonSchema }) {
      delete jsonSchema.readOnly;
      // Later versions can add fields without a new `format_version`.
      delete jsonSchema.additionalProperties;
      // zod adds the range of safe integers to every integer.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
