import { createErrorMap, createMessageBuilder, fromZodError } from "zod-validation-error";
import * as z from "zod/mini";

export type Validated<T> =
  | { readonly success: true; readonly data: T }
  /** Without the values, which may be secret. */
  | { readonly success: false; readonly problem: string };

/** Validates data without source positions: files that ivrctl wrote, answers, requests, plugins. */
export function validate<S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
): Validated<z.output<S>> {
  const parsed = z.safeParse(schema, value, { error });
  if (parsed.success) return parsed;
  const { message } = fromZodError(parsed.error, { messageBuilder });
  const left = parsed.error.issues.length - maxIssues;
  return { success: false, problem: left > 0 ? `${message}; and ${left} more` : message };
}

const maxIssues = 10;
const error = createErrorMap({ reportInput: "type" });
const messageBuilder = createMessageBuilder({
  prefix: null,
  maxIssuesInMessage: maxIssues,
  forceTitleCase: false,
});
