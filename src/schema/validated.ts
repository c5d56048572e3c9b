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
  const issues = parsed.error.issues.map((issue) => missingIn(value, issue) ?? issue);
  const { message } = fromZodError(new z.core.$ZodError(issues), { messageBuilder });
  const left = parsed.error.issues.length - maxIssues;
  return { success: false, problem: left > 0 ? `${message}; and ${left} more` : message };
}

/** The issue in better words if a field is missing. */
function missingIn(value: unknown, { path }: z.core.$ZodIssue): z.core.$ZodIssue | undefined {
  const isThere = path.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" && inner !== null
        ? new Map<PropertyKey, unknown>(Object.entries(inner)).get(String(step))
        : undefined,
    value,
  );
  if (isThere !== undefined || path.length === 0) return undefined;
  const message = `${z.core.toDotPath(path)} is missing`;
  return { code: "custom", path: [], input: value, message };
}

const maxIssues = 10;
const error = createErrorMap({ reportInput: "type" });
const messageBuilder = createMessageBuilder({
  prefix: null,
  maxIssuesInMessage: maxIssues,
  forceTitleCase: false,
});
