import { normalName } from "../../compile/agents.ts";
import type { Diagnostics } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../diagnostics/source.ts";
import type { Made } from "../../schema/plan.ts";

/** A menu as the files have it now. */
export interface Present {
  readonly key: string;
  readonly file: string;
  readonly made: Made;
  readonly movedFrom: string | undefined;
  readonly nameAt: Span;
}

/** A menu as the files had it at a revision. */
export interface Past {
  readonly key: string;
  readonly name: string;
  /** Null where it was at fault: that there was a menu is all that is known. */
  readonly made: Made | null;
}

interface About {
  readonly key: string;
  readonly name: string;
}

/** What became of a menu between two versions of its file; `before` is null where it was at fault. */
export type Compared =
  | (About & { readonly action: "create"; readonly after: Made })
  | (About & {
      readonly action: "replace";
      readonly before: Made | null;
      readonly after: Made;
      readonly movedFrom: string | null;
    })
  | (About & {
      readonly action: "move";
      readonly before: Made;
      readonly after: Made;
      readonly movedFrom: string;
    })
  | (About & { readonly action: "forget"; readonly before: Made | null });

/** The files of now against those of a revision: no state, no service. */
export interface Comparison {
  readonly environment: string;
  readonly revision: Revision;
  /** Every menu that is not unchanged, sorted by key. */
  readonly changes: readonly Compared[];
  readonly unchanged: number;
}

export interface Revision {
  /** As it was asked for. */
  readonly ref: string;
  /** Its id in full. */
  readonly commit: string;
}

interface Sides {
  readonly present: readonly Present[];
  readonly past: readonly Past[];
  /** Files of then in which no key could be read: whose they were nobody can say. */
  readonly illegible: ReadonlySet<string>;
}

/** Pure. Warns of what looks like a renamed file to everyone but a plan. */
export function compare(
  { present, past, illegible }: Sides,
  diagnostics: Diagnostics,
): Pick<Comparison, "changes" | "unchanged"> {
  const then = new Map(past.map((menu) => [menu.key, menu]));
  const keys = new Set(present.map(({ key }) => key));
  const carried = new Set<string>();
  const changes: Compared[] = [];
  let unchanged = 0;
  for (const { key, file, made, movedFrom } of present) {
    const { name } = made.payload;
    const own = then.get(key);
    const from = own === undefined && movedFrom !== undefined ? then.get(movedFrom) : undefined;
    const old = own ?? from;
    if (from !== undefined) carried.add(from.key);
    if (old === undefined) {
      changes.push(
        illegible.has(file)
          ? { action: "replace", key, name, before: null, after: made, movedFrom: null }
          : { action: "create", key, name, after: made },
      );
    } else if (old.made?.digest !== made.digest) {
      const { made: before } = old;
      changes.push({
        action: "replace",
        key,
        name,
        before,
        after: made,
        movedFrom: from?.key ?? null,
      });
    } else if (from === undefined) unchanged += 1;
    else
      changes.push({
        action: "move",
        key,
        name,
        before: old.made,
        after: made,
        movedFrom: from.key,
      });
  }
  for (const { key, name, made } of then.values()) {
    if (keys.has(key) || carried.has(key)) continue;
    changes.push({ action: "forget", key, name, before: made });
  }
  warnOfRenames(present, changes, diagnostics);
  changes.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { changes, unchanged };
}

/** A plan refuses these wherever the old menu was applied. */
function warnOfRenames(
  present: readonly Present[],
  changes: readonly Compared[],
  diagnostics: Diagnostics,
): void {
  const gone = new Map(
    changes.flatMap(({ action, key, name }) =>
      action === "forget" ? [[normalName(name), key] as const] : [],
    ),
  );
  const created = new Set(changes.flatMap(({ action, key }) => (action === "create" ? key : [])));
  for (const { key, made, nameAt } of present) {
    const old = created.has(key) ? gone.get(normalName(made.payload.name)) : undefined;
    if (old === undefined) continue;
    diagnostics.add(
      "IVR647",
      nameAt,
      `\`${key}\` has the name of \`${old}\`, which has no file any more.`,
      `If the file was renamed, add moved_from: ${old}. Without it, a plan refuses to create a second live menu.`,
    );
  }
}
