import type { Observed, Content } from "../../listed/observed.ts";
import { type MenuRef, type Ref, refText } from "../../../schema/ref.ts";
import { groupBy } from "../../../util/group-by.ts";
import type { UnreadableRecord } from "../../service/lists.ts";
import type { Hold } from "../../reasons/hold.ts";
import type { Op } from "./step.ts";

/** Something on the service, with all that is known about it. */
export interface Resource {
  readonly ref: Ref;
  /** The former key, if its record moves. */
  readonly from?: Ref | undefined;
  /** What the files want. Absent if no file names it. */
  readonly desired?: Content | undefined;
  /** What the state has. Absent if there is no record. */
  readonly prior?: Prior | undefined;
  readonly observed: Observed;
  /** The old menus of the key that are still as recorded, the newest first. */
  readonly spares: readonly Spare[];
  /** The ids of the listed menus that have its name and are not recorded. Null for a record without an id. */
  readonly namesakes?: readonly (string | null)[] | undefined;
  readonly onChange?: "replace" | "refuse" | undefined;
  /** Why nothing is sent for it, whatever that would be. */
  readonly doubts: readonly Hold[];
  /** Whether its file is invalid, so that nothing is known about what it shall be. */
  readonly isInvalid?: boolean;
  /** Of a recording: its alias, and the menus of the files that use it. */
  readonly used?: { readonly alias: string; readonly by: readonly MenuRef[] };
}

export interface Prior {
  /** What was confirmed last. Absent if only a first create was sent, or if a bind was never confirmed. */
  readonly content?: Content | undefined;
  readonly id?: string | undefined;
  /** The request whose outcome is not known. */
  readonly pending?: { readonly op: Op; readonly content: Content } | undefined;
}

interface Spare {
  readonly ref: Ref;
  readonly content: Content;
  readonly id: string | undefined;
}

/** Something that sends callers to the menu with this id, or that may do so. */
export interface Link {
  /** A `Ref`, `id:7` for a menu that is not recorded, or `list` for a record that cannot be read. */
  readonly from: string;
  /** Undefined if it may be any menu. */
  readonly to: string | undefined;
  /**
   * `listed` and `recorded` point there now. `lagging` was bound to it, although the list does not show
   * that. `planned` does so after the plan, and `unknown` when a request arrives.
   */
  readonly kind: "listed" | "recorded" | "lagging" | "planned" | "unknown";
  /** A menu or a record of the list in words: `menu “Front desk” (id 7926)`. */
  readonly words?: string;
}

/** Whether something points to a menu now, so that a plan can redirect it. */
export function isNow({ kind }: Link): boolean {
  return kind !== "planned" && kind !== "unknown";
}

/** A record that ivrctl does not understand may link to any menu. */
export function unreadableLink({ id, name, problem }: UnreadableRecord, list: string): Link {
  const which = name === null ? `record ${id ?? "without an id"}` : `“${name}”`;
  const words = `perhaps ${which} in the list of ${list}, which ivrctl does not understand (${problem})`;
  return { from: "list", to: undefined, kind: "listed", words };
}

/** What points to a menu, in words: `+91 22 4123 4567`, `menu “Front desk” (id 7926)`. */
export function describeLinks(links: readonly Link[]): string[] {
  const best = [...groupBy(links, ({ from }) => from).values()].map(
    (alike) => alike.toSorted((a, b) => says.indexOf(a.kind) - says.indexOf(b.kind))[0] ?? alike[0],
  );
  const words = best.map(({ from, kind, words: linkWords }) => {
    const name = refText(from);
    return {
      listed: linkWords ?? name,
      unknown: `${name}, whose outcome is unknown`,
      lagging: `perhaps ${name}, which was bound to it, although the list does not show that`,
      planned: linkWords ?? name,
      recorded: `perhaps ${linkWords ?? name}, which links to it in the record`,
    }[kind];
  });
  return [...new Set(words)];
}

/** What says most comes first. */
const says = ["listed", "unknown", "lagging", "planned", "recorded"] satisfies Link["kind"][];
