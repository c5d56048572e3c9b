import * as z from "zod/mini";
import { Intent } from "./intent.ts";

const Save = z.strictObject({
  do: z.literal("save"),
  branch: z
    .string()
    .check(
      z.regex(
        /^[\w][\w./-]{0,99}$/,
        "The name of a branch has at most 100 letters of English, digits, `.`, `_`, `-` and `/`, and no spaces.",
      ),
    ),
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

/** A failed test that passes if it presses these keys. */
export interface Repair {
  readonly file: string;
  readonly line: number;
  readonly press: readonly string[];
}

/** What somebody else wrote into a file since the page showed it, and what was wanted there. */
export interface Conflict {
  readonly file: string;
  readonly theirs: readonly string[];
  readonly yours: readonly string[];
}

export interface EditAnswer {
  /** Why nothing was written, and the place that says so. */
  readonly refused?: string;
  readonly place?: string;
  /** The files that somebody else has changed. */
  readonly conflicts?: readonly Conflict[];
  readonly menus?: readonly string[];
  readonly agents?: readonly Choice[] | undefined;
  /** By menu and path. The path `options` is the place of a key that is added for all. */
  readonly shared?: Readonly<Record<string, Readonly<Record<string, SharedValue>>>>;
  /** The aliases of destinations that are no people and no menus: a time group, for example. */
  readonly destinations?: readonly { alias: string; kind: string; id: string }[];
  readonly recordings?: readonly { alias: string; says?: string | undefined }[];
  /** The aliases of SMS templates. Empty if the account has none. */
  readonly smsTemplates?: readonly string[];
  /** The variables that the texts of a menu use. */
  readonly vars?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What the prompt of a menu should say, if it and the keys disagree. */
  readonly greetings?: Readonly<Record<string, string>>;
  readonly repairs?: readonly Repair[];
  readonly drafts?: readonly Draft[];
  /** Whether the drafts can be saved on a branch. Without git, they are compared with the start of the session. */
  readonly hasGit?: boolean;
  readonly canUndo?: boolean;
  readonly branch?: string;
  readonly isPushed?: boolean;
  /** Why the branch is not pushed, although the person asked for that. */
  readonly notPushed?: string | undefined;
  readonly link?: string | undefined;
}

/** A value that several menus have from the same file. */
export interface SharedValue {
  readonly file: string;
  /** How many menus, this one included. */
  readonly count: number;
}
