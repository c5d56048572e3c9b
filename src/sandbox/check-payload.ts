import type * as z from "zod/mini";
import { digits, idPattern } from "../schema/common.ts";
import { recordingWireFields } from "../schema/config.ts";
import { PayloadSchema } from "../schema/payload.ts";
import { type Validated, validate } from "../schema/validate.ts";

/** A payload that the sandbox accepted. */
export type SandboxPayload = z.infer<typeof PayloadSchema>;

const maxProblems = 10;

/** Checks a payload against the service's documentation only, not against the rules of ivrctl. */
export function checkPayload(value: object, eids: ReadonlySet<string>): Validated<SandboxPayload> {
  const parsed = validate(PayloadSchema, value);
  if (!parsed.success) return parsed;
  const problems = problemsOf(parsed.data, eids);
  if (problems.length === 0) return parsed;
  const left = problems.length - maxProblems;
  const shown = problems.slice(0, maxProblems).join("; ");
  return { success: false, problem: left > 0 ? `${shown}; and ${left} more` : shown };
}

function problemsOf(payload: SandboxPayload, eids: ReadonlySet<string>): string[] {
  return [
    ...(["name", "description"] as const)
      .filter((field) => payload[field] === "")
      .map((field) => `${field} is empty`),
    ...(payload.option.length === 0 ? ["option is empty"] : []),
    ...payload.option
      .filter((key) => key === "" || (typeof key === "number" && !isCount(key)))
      .map(() => "option has an item that is not a key"),
    ...(["timeout", "incorrect_count", "timeout_tries"] as const)
      .filter((field) => !isCount(payload[field]))
      .map((field) => `${field} must be a whole number, in digits only`),
    ...(payload.timeout_retries === undefined || isCount(payload.timeout_retries)
      ? []
      : ["timeout_retries must be a whole number"]),
    ...recordingProblems(payload),
    ...payload.destination.flatMap((text, index) =>
      destinationProblems(`destination[${index}]`, text, eids),
    ),
    ...destinationProblems("invalid_destination", payload.invalid_destination, eids),
    ...destinationProblems("timeout_destination", payload.timeout_destination, eids),
  ];
}

function isCount(value: string | number): boolean {
  if (typeof value === "string") return digits.test(value);
  return Number.isSafeInteger(value) && value >= 0;
}

/** The documentation gives a format for `recording` only; the others just have to be ids. */
function recordingProblems(payload: SandboxPayload): string[] {
  return recordingWireFields.flatMap((field) => {
    const text = payload[field];
    if (text === undefined || isPair("recording", text)) return [];
    if (field === "recording") return "recording must be recording||ID";
    return idPattern.test(text) ? [] : `${field} must be the id of a recording, or recording||ID`;
  });
}

function destinationProblems(field: string, text: string, eids: ReadonlySet<string>): string[] {
  if (!isPair("extension", text)) return [`${field} must be extension||EID`];
  return eids.has(eidOf(text)) ? [] : [`${field}: no agent has this extension`];
}

/** The eid of a destination, or the id of `recording||ID`. */
export function eidOf(destination: string): string {
  return destination.slice(destination.indexOf("||") + 2);
}

function isPair(kind: string, text: string): boolean {
  return text.startsWith(`${kind}||`) && idPattern.test(text.slice(kind.length + 2));
}
