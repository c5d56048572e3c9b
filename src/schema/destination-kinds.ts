/**
 * The kinds of destinations that have a field of their own, by its name: `{ hangup: true }`. Any other
 * kind is `{ kind, id }`. A payload has `KIND||ID`. Schemas, payloads, import, the sandbox and the words
 * of plans are derived from this table.
 */
export const ownKinds = {
  hangup: {
    about: "With `true`, the call ends.",
    onlyId: "1",
    words: "hang up",
    reached: "the end of the call",
    nobodyAnswers: true,
    ends: "with a hangup",
  },
} as const satisfies Record<string, OwnKind>;

export interface OwnKind {
  /** What editors say about the field. */
  readonly about: string;
  /** The id, if there is only one. Then the field is `true`; otherwise it is the id. */
  readonly onlyId?: string;
  /** What plans and pictures call it. The id follows, unless there is only one. */
  readonly words: string;
  /** What callers of a phone number reach. */
  readonly reached: string;
  /** Whether the call ends there without a person. */
  readonly nobodyAnswers?: true;
  /** How the call ends, if nothing is reached there. */
  readonly ends?: string;
}

export type OwnKindName = keyof typeof ownKinds;
export const ownKindNames = Object.keys(ownKinds).filter(isOwnKind);

function isOwnKind(name: string): name is OwnKindName {
  return Object.hasOwn(ownKinds, name);
}

export const documentedKinds: ReadonlySet<string> = new Set([
  "extension",
  "voicemail",
  "department",
  "timegroup",
  "ivr",
  "time_condition",
  ...ownKindNames,
]);

/** The kind and the id of `KIND||ID`. The kind of any other text is empty. */
export function destinationParts(text: string): { readonly kind: string; readonly id: string } {
  const at = text.indexOf("||");
  return { kind: text.slice(0, Math.max(at, 0)), id: at === -1 ? text : text.slice(at + 2) };
}

/** The row of a destination whose kind has its own field. */
export function ownKind(kind: string, id: string): OwnKind | undefined {
  const row: OwnKind | undefined = isOwnKind(kind) ? ownKinds[kind] : undefined;
  return row?.onlyId === undefined || row.onlyId === id ? row : undefined;
}

/** Whether calls that go to this kind end without a person. */
export function nobodyAnswers(kind: string): boolean {
  const row: OwnKind | undefined = isOwnKind(kind) ? ownKinds[kind] : undefined;
  return row?.nobodyAnswers === true;
}

/** A destination in words: `hang up`. Undefined if its kind has none. */
export function ownWords(kind: string, id: string, form: "words" | "reached"): string | undefined {
  const row = ownKind(kind, id);
  return row && (row.onlyId === undefined ? `${row[form]} ${id}` : row[form]);
}
