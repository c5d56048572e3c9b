import * as z from "zod/mini";
import { Intent } from "./intent.ts";

const Save = z.strictObject({
  do: z.literal("save"),
  branch: z.string().check(z.regex(/^[\w][\w./-]{0,99}$/)),
  message: z.string().check(z.minLength(1), z.maxLength(10_000)),
  push: z.boolean(),
});
export type SaveRequest = z.infer<typeof Save>;

/** What the page asks the editor for. */
export const EditRequest = z.discriminatedUnion("do", [
  ...Intent.def.options,
  Save,
  /** Takes the last edit back. */
  z.strictObject({ do: z.literal("undo") }),
  /** What the page needs to edit: whom keys can reach, what menus share, what is not committed. */
  z.strictObject({ do: z.literal("look") }),
]);
export type EditRequest = z.infer<typeof EditRequest>;

/** A file that differs from the last commit. */
export interface Draft {
  readonly file: string;
  readonly isNew: boolean;
  /** Its changed lines, each after `-` or `+`. */
  readonly lines: readonly string[];
}

/** Someone whom a key can reach. */
interface Choice {
  readonly eid: string;
  readonly name: string;
  readonly team: string | null;
  readonly departments: readonly string[];
  readonly intercom: string | null;
  readonly blocked: boolean;
}

export interface EditAnswer {
  /** Why nothing was written, and the place that says so. */
  readonly refused?: string;
  readonly place?: string;
  /** The menus that changed. */
  readonly menus?: readonly string[];
  readonly agents?: readonly Choice[] | undefined;
  readonly shared?: Readonly<Record<string, Readonly<Record<string, SharedValue>>>>;
  readonly drafts?: readonly Draft[];
  readonly canUndo?: boolean;
  readonly branch?: string;
  readonly isPushed?: boolean;
  readonly link?: string | undefined;
}

/** A value that several menus have from the same file. */
export interface SharedValue {
  readonly file: string;
  /** How many menus, this one included. */
  readonly count: number;
}
