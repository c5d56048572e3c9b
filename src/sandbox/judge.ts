import type * as z from "zod/mini";
import { PayloadSchema } from "../schema/payload.ts";
import { validate } from "../schema/validate.ts";

/** A payload as it was accepted. */
export type SandboxPayload = z.infer<typeof PayloadSchema>;

export type Judgement =
  | { readonly accepted: true; readonly payload: SandboxPayload }
  | { readonly accepted: false; readonly message: string };

const maxProblems = 10;

/** Whether the service would take this: what its document says, and no rule that it does not show. */
export function judge(value: object, eids: ReadonlySet<string>): Judgement {
  const parsed = validate(PayloadSchema, value);
  if (!parsed.success) return { accepted: false, message: parsed.problem };
  const problems = problemsOf(parsed.data, eids);
  if (problems.length === 0) return { accepted: true, payload: parsed.data };
  const left = problems.length - maxProblems;
  const shown = problems.slice(0, maxProblems).join("; ");
  return { accepted: false, message: left > 0 ? `${shown}; and ${left} more` : shown };
}

function problemsOf(payload: SandboxPayload, eids: ReadonlySet<string>): string[] {
  return [
    ...(["name", "description"] as const)
      .filter((field) => payload[field] === "")
      .map((field) => `${field} is empty`),
    ...(payload.option.length === 0 ? ["option is empty"] : []),
    ...payload.option
      .filter((key) => key === "" || (typeof key === "number" && !isCount(key)))
      .map(() => "option has an item that is no key"),
    ...(["timeout", "incorrect_count", "timeout_tries"] as const)
      .filter((field) => !isCount(payload[field]))
      .map((field) => `${field} must be a whole number, in digits alone`),
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
  return typeof value === "number"
    ? Number.isSafeInteger(value) && value >= 0
    : /^[0-9]+$/.test(value);
}

/** The format is given for `recording`; of the others only that they are ids. */
function recordingProblems(payload: SandboxPayload): string[] {
  const problems: string[] = [];
  if (!isPair("recording", payload.recording)) problems.push("recording must be recording||ID");
  for (const field of [
    "invalid_recording",
    "timeout_retry_recording",
    "timeout_recording",
    "recording_invalid",
  ] as const) {
    const id = payload[field];
    if (id !== undefined && !isId(id) && !isPair("recording", id)) {
      problems.push(`${field} must be a recording's id, or recording||ID`);
    }
  }
  return problems;
}

function destinationProblems(field: string, text: string, eids: ReadonlySet<string>): string[] {
  if (!isPair("extension", text)) return [`${field} must be extension||EID`];
  return eids.has(eidOf(text)) ? [] : [`${field} is an extension that no agent has`];
}

/** The eid in a destination that was accepted. */
export function eidOf(destination: string): string {
  return destination.slice(destination.indexOf("||") + 2);
}

function isPair(kind: string, text: string): boolean {
  return text.startsWith(`${kind}||`) && isId(text.slice(kind.length + 2));
}

function isId(text: string): boolean {
  return /^\S+$/u.test(text) && !text.includes("||");
}
