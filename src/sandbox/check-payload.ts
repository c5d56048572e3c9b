import {
  destinationParts,
  documentedKinds,
  ownKind,
  ownKinds,
} from "../schema/destination-kinds.ts";
import { digits, idPattern } from "../schema/field-types.ts";
import { type Field, type Payload, fields, rows } from "../schema/fields.ts";
import { PayloadSchema } from "../schema/payload.ts";
import { validate } from "../schema/validated.ts";

const maxProblems = 10;

/** What destinations may go to. */
export interface Destinations {
  readonly eids: ReadonlySet<string>;
  hasMenu(id: string): boolean;
  /** Undefined if the service accepts only agents and menus. */
  readonly departments: ReadonlySet<string> | undefined;
}

export type Checked =
  | { readonly payload: Payload }
  /** With `isOnlyLinks`, the payload is valid except that it links to menus that do not exist. */
  | { readonly problem: string; readonly isOnlyLinks: boolean };

/** Checks a payload against the service's documentation only, not against the rules of ivrctl. */
export function checkPayload(value: object, destinations: Destinations): Checked {
  const parsed = validate(PayloadSchema, value);
  if (!parsed.success) return { problem: parsed.problem, isOnlyLinks: false };
  const { data: payload } = parsed;
  const problems = rows.flatMap(([path, field]) => {
    const sent = payload[fields[path].wire];
    const values = typeof sent === "object" ? sent : sent === undefined ? [] : [sent];
    return values.flatMap((part, index) => {
      const problem = problemWith(field, String(part), destinations);
      const place = typeof sent === "object" ? `${field.wire}[${index}]` : field.wire;
      return problem === undefined ? [] : place + problem;
    });
  });
  if (payload.option.length === 0) problems.push("option is empty");
  if (problems.length === 0) return { payload };
  const left = problems.length - maxProblems;
  const first = problems.slice(0, maxProblems).join("; ");
  return {
    problem: left > 0 ? `${first}; and ${left} more` : first,
    isOnlyLinks: problems.every((problem) => problem.endsWith(noMenu)),
  };
}

const noMenu = ": no menu has this id";

/** What is wrong with a value, in words that follow the name of its field. */
function problemWith(
  { is, wire }: Field,
  text: string,
  destinations: Destinations,
): string | undefined {
  switch (is) {
    case "text":
    case "keys":
      return text === "" ? " is empty" : undefined;
    case "count":
    case "number":
      return digits.test(text) ? undefined : " must be a whole number, in digits only";
    case "recording": {
      const { kind, id } = destinationParts(text);
      if (kind === "recording" && idPattern.test(id)) return undefined;
      // The documentation gives a format for `recording` only; the others just have to be ids.
      if (wire === "recording") return " must be recording||ID";
      return idPattern.test(text) ? undefined : " must be the id of a recording, or recording||ID";
    }
    case "destination":
      return destinationProblem(text, destinations);
    case "sms":
      return undefined;
  }
}

/** What is wrong with a destination, in words that follow the name of its field. */
export function destinationProblem(text: string, destinations: Destinations): string | undefined {
  const { eids, departments } = destinations;
  const { kind, id } = destinationParts(text);
  const unknown = " must be KIND||ID with a kind that the service knows";
  if (!idPattern.test(id)) return unknown;
  if (kind === "extension") return eids.has(id) ? undefined : ": no agent has this extension";
  if (kind === "ivr") return destinations.hasMenu(id) ? undefined : noMenu;
  if (ownKind(kind, id)) return undefined;
  if (kind === "department" && departments) {
    return departments.has(id) ? undefined : ": no department has this id";
  }
  // The sandbox has none of the other things, so it accepts any id.
  const isOther = documentedKinds.has(kind) && !Object.hasOwn(ownKinds, kind);
  return isOther && departments ? undefined : unknown;
}
