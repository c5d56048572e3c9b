import type * as z from "zod/mini";
import type { Completion } from "./common.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A name that editors offer, and what they say about it. */
export interface Name {
  readonly text: string;
  readonly about?: string;
}

/** The names to offer where a schema has `completes`. */
export type Names = Readonly<Record<Completion, readonly Name[]>>;

interface Known {
  /** The definition with the names. */
  readonly definition: string;
  /** What editors say about another name. Without it, they would list all names. */
  readonly unknown: string;
  /** Whether ivrctl accepts these names with other spaces, and in any Unicode normal form. */
  readonly isLoose: boolean;
}

const outdated = "If it is new, run `ivrctl agents pull` and print this schema again.";

export const known: Readonly<Record<Completion, Known>> = {
  agent: {
    definition: "known_agents",
    unknown: `No agent has this name. ${outdated}`,
    isLoose: true,
  },
  team: {
    definition: "known_teams",
    unknown: `No agent is in a team with this name. ${outdated}`,
    isLoose: true,
  },
  department: {
    definition: "known_departments",
    unknown: `No agent is in a department with this name. ${outdated}`,
    isLoose: true,
  },
  recording: {
    definition: "known_recordings",
    unknown:
      "There is no recording with this alias. Add it to `recordings:` in ivrctl.yaml and print this schema again.",
    isLoose: false,
  },
  sms_template: {
    definition: "known_sms_templates",
    unknown:
      "There is no SMS template with this alias. Add it to `sms_templates:` in ivrctl.yaml and print this schema again.",
    isLoose: false,
  },
};

/** The schema of these names. Their order does not matter. */
export function oneOfNames(completes: Completion, names: readonly Name[]): JsonSchema {
  const { unknown, isLoose } = known[completes];
  const distinct = [...new Map(names.map((name) => [name.text, name])).values()];
  const sorted = distinct.sort((a, b) => (a.text < b.text ? -1 : 1));
  const size = Math.max(shownNames, Math.ceil(sorted.length / maxBlocks));
  const blocks = Array.from({ length: Math.ceil(sorted.length / size) }, (_, block) =>
    oneOfBlock(sorted.slice(block * size, (block + 1) * size), unknown),
  );
  // The language server joins the values of neighboring enums in one message. Not within an allOf.
  const alternatives = blocks.length > 1 ? blocks.map((block) => ({ allOf: [block] })) : blocks;
  return { anyOf: [...alternatives, ...(isLoose ? [unusual] : [])] };
}

/** Whether YAML reads this text as a number. */
export function isNumberLike(text: string): boolean {
  return /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text);
}

/**
 * A text with unusual spaces or combining accents. It may be another spelling of a name, which JSON
 * Schema cannot compare. A pattern of all spellings takes editors minutes if there are many names.
 */
const unusual: JsonSchema = {
  type: "string",
  pattern: String.raw`^\s|\s$|\s\s|[^\S ]|[\u0300-\u036f]`,
};

/** The size of an enum. An editor shows the whole enum with every name in it. */
const shownNames = 25;

/** With more alternatives, some validators run out of stack. Then the enums are larger. */
const maxBlocks = 200;

function oneOfBlock(names: readonly Name[], errorMessage: string): JsonSchema {
  const numbers = names.filter(({ text }) => isNumberLike(text));
  const all = [...names, ...numbers];
  return {
    enum: [
      ...new Set([...names.map(({ text }) => text), ...numbers.map(({ text }) => Number(text))]),
    ],
    ...(all.some(({ about }) => about) && {
      enumDescriptions: all.map(({ about }) => about ?? ""),
    }),
    errorMessage,
  };
}
