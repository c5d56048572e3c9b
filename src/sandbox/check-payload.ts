import type * as z from "zod/mini";
import { digits, idPattern } from "../schema/field-types.ts";
import {
  destinationParts,
  documentedKinds,
  ownKind,
  ownKinds,
  type OwnKind,
} from "../schema/destination-kinds.ts";
import { wireOf } from "../schema/fields.ts";
import { PayloadSchema } from "../schema/payload.ts";
import { validate } from "../schema/validate.ts";
import { joined } from "../util/many.ts";

/** A payload that the sandbox accepted. */
export type SandboxPayload = z.infer<typeof PayloadSchema>;

const maxProblems = 10;

/** What destinations may go to. */
export interface Destinations {
  readonly eids: ReadonlySet<string>;
  hasMenu(id: string): boolean;
  /** Undefined if the service accepts only agents and menus. */
  readonly departments: ReadonlySet<string> | undefined;
}

export type Checked =
  | { readonly kind: "valid"; readonly payload: SandboxPayload }
  | { readonly kind: "invalid"; readonly problem: string }
  /** The payload is valid except that it links to menus that do not exist. */
  | { readonly kind: "no-menu"; readonly problem: string };

/** Checks a payload against the service's documentation only, not against the rules of ivrctl. */
export function checkPayload(value: object, known: Destinations): Checked {
  const parsed = validate(PayloadSchema, value);
  if (!parsed.success) return { kind: "invalid", problem: parsed.problem };
  const problems = problemsOf(parsed.data, known);
  if (problems.length === 0) return { kind: "valid", payload: parsed.data };
  const left = problems.length - maxProblems;
  const shown = problems.slice(0, maxProblems).join("; ");
  const problem = left > 0 ? `${shown}; and ${left} more` : shown;
  const isOnlyMenus = problems.every((text) => text.endsWith(noMenu));
  return { kind: isOnlyMenus ? "no-menu" : "invalid", problem };
}

const noMenu = ": no menu has this id";

/** Returns what is wrong with a destination; undefined if it is valid. */
export function checkDestination(text: string, known: Destinations): string | undefined {
  return destinationProblems("destination", text, known)[0];
}

function problemsOf(payload: SandboxPayload, known: Destinations): string[] {
  return [
    ...wireOf("text")
      .filter((field) => payload[field] === "")
      .map((field) => `${field} is empty`),
    ...(payload.option.length === 0 ? ["option is empty"] : []),
    ...payload.option
      .filter((key) => key === "" || (typeof key === "number" && !isCount(key)))
      .map(() => "option has an item that is not a key"),
    ...wireOf("count")
      .filter((field) => !isCount(payload[field]))
      .map((field) => `${field} must be a whole number, in digits only`),
    ...(payload.timeout_retries === undefined || isCount(payload.timeout_retries)
      ? []
      : ["timeout_retries must be a whole number"]),
    ...recordingProblems(payload),
    ...payload.destination.flatMap((text, index) =>
      destinationProblems(`destination[${index}]`, text, known),
    ),
    ...wireOf("destination").flatMap((field) => destinationProblems(field, payload[field], known)),
  ];
}

function isCount(value: string | number): boolean {
  if (typeof value === "string") return digits.test(value);
  return Number.isSafeInteger(value) && value >= 0;
}

/** The documentation gives a format for `recording` only; the others just have to be ids. */
function recordingProblems(payload: SandboxPayload): string[] {
  return wireOf("recording").flatMap((field) => {
    const text = payload[field];
    if (text === undefined || isPair("recording", text)) return [];
    if (field === "recording") return "recording must be recording||ID";
    return idPattern.test(text) ? [] : `${field} must be the id of a recording, or recording||ID`;
  });
}

function destinationProblems(field: string, text: string, known: Destinations): string[] {
  const { eids, departments } = known;
  const { kind, id } = destinationParts(text);
  if (isPair("extension", text)) {
    return eids.has(id) ? [] : [`${field}: no agent has this extension`];
  }
  if (isPair("ivr", text)) return known.hasMenu(id) ? [] : [`${field}${noMenu}`];
  if (isPair(kind, text) && ownKind(kind, id)) return [];
  if (departments === undefined) return [`${field} must be ${acceptedForms}`];
  if (isPair("department", text)) {
    return departments.has(id) ? [] : [`${field}: no department has this id`];
  }
  // The sandbox has none of the other things, so it accepts any id.
  if (documentedKinds.has(kind) && !Object.hasOwn(ownKinds, kind) && isPair(kind, text)) return [];
  return [`${field} must be KIND||ID with a kind that the service knows`];
}

const acceptedForms = joined(
  [
    "extension||EID",
    "ivr||ID",
    ...Object.entries<OwnKind>(ownKinds).map(([kind, { onlyId = "ID" }]) => `${kind}||${onlyId}`),
  ],
  "or",
);

function isPair(kind: string, text: string): boolean {
  return text.startsWith(`${kind}||`) && idPattern.test(text.slice(kind.length + 2));
}
