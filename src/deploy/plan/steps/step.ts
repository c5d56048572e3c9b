import type { Content } from "../../listed/observed.ts";
import type { OperationName, Permission } from "../../../schema/operations.ts";
import {
  type Destination,
  destinationsOf,
  isSameTarget,
  linkedIds,
  openLinks,
  destinationWithId,
  recordingsIn,
  withIds as menuWithIds,
  withRecordingIds,
} from "../../../model/menu.ts";
import { isSameMenu } from "../../../model/menu-diff.ts";
import { isDeepStrictEqual } from "node:util";
import {
  type MenuRef,
  type RecordingRef,
  type Ref,
  isNumber,
  menuRef,
  recordingRef,
} from "../../../schema/ref.ts";
import type { Hold, Why } from "../../reasons/hold.ts";
import { reasons } from "../../reasons/reasons.ts";
import type { Patterns } from "../../../util/patterns.ts";

/** A request that changes something on the service. */
export type SentOp = "create" | "update" | "bind" | "delete";

/**
 * What a step does: a request, or a change of the record alone. `forget`: its file was deleted. `drop`: the
 * service does not list it any more. `match`: the console has what the file says. `unknown`: nothing, until
 * an outcome is known.
 */
export type Op = SentOp | "move" | "forget" | "drop" | "restore" | "match" | "reword" | "unknown";

/** One thing that apply does, or that it does not do because something holds it back. */
export interface Step {
  readonly ref: Ref;
  readonly op: Op;
  /** The id on the service of what is changed. */
  readonly id?: string | undefined;
  /** The former key of a menu that moves. */
  readonly from?: Ref | undefined;
  /** The old menu that becomes current again. */
  readonly spare?: Ref | undefined;
  /** What it was compared with: what the service shows, else what is recorded. Absent for something new. */
  readonly base?: Content | undefined;
  /** The keys with a webhook on the service, which is lost. Absent if the menu is not seen, or stays. */
  readonly webhooks?: readonly string[] | undefined;
  /** What it becomes, with references to menus. */
  readonly after?: Content | undefined;
  /** The ids that were known when the step was decided, of the menus and recordings that `after` refers to. */
  readonly links: Readonly<Record<string, string>>;
  /** What has to be done, or to exist, before. */
  readonly needs: readonly Ref[];
  /** Why apply does not do it. */
  readonly holds: readonly Hold[];
}

const requests: ReadonlySet<Op> = new Set<SentOp>(["create", "update", "bind", "delete"]);

/** Whether a step needs a request. */
export function isSent<S extends Pick<Step, "op">>(step: S): step is S & { readonly op: SentOp } {
  return requests.has(step.op);
}

/** Whether nothing of a plan with this hold is applied. */
function isRefusal({ why }: Hold): boolean {
  return reasons[why].blocks === "everything";
}

/** Whether nothing of these steps is applied. */
export function isRefused(steps: readonly Step[]): boolean {
  return steps.some(({ holds }) => holds.some(isRefusal));
}

/**
 * Whether only this step is left out, or waits for steps that are. What refuses the plan does not count:
 * then nothing is applied, and the plan shows what it would do otherwise.
 */
export function isHeld({ holds }: Step): boolean {
  return holds.some((hold) => hold.why === "circle" || !isRefusal(hold));
}

export function isHeldBy({ holds }: Step, wanted: Why): boolean {
  return holds.some(({ why }) => why === wanted);
}

/** What the service can do, and what the user wants and permits. */
export interface PlanLimits {
  readonly operations: ReadonlySet<OperationName>;
  readonly allowed: ReadonlySet<Permission>;
  readonly targets: Patterns;
  readonly maxCreates?: number | undefined;
}

/** The holds that no permission lifts. */
export function heldBy(
  { allowed }: Pick<PlanLimits, "allowed">,
  ...holds: readonly (Hold | false | undefined)[]
): Hold[] {
  return holds
    .filter((hold) => hold !== undefined && hold !== false)
    .filter(({ why }) => {
      const { allow } = reasons[why];
      return allow === undefined || !allowed.has(allow);
    });
}

function destinationsIn(content: Content): readonly Destination[] {
  if ("menu" in content) return destinationsOf(content.menu);
  return "make" in content || content.to === null ? [] : [content.to];
}

/** Whether two contents are the same on the service. */
export function isSame(a: Content, b: Content): boolean {
  if ("menu" in a) return "menu" in b && isSameMenu(a.menu, b.menu);
  if ("make" in a) return "make" in b && isDeepStrictEqual(a.make, b.make);
  return "to" in b && isSameTarget(a.to, b.to);
}

/** The menus that a content refers to without their ids, each once. */
export function linksIn(content: Content): MenuRef[] {
  return openLinks(destinationsIn(content)).map(menuRef);
}

/** The menus and recordings whose ids a content needs, each once. */
export function needsOf(content: Content): (MenuRef | RecordingRef)[] {
  const made = "menu" in content ? recordingsIn(content.menu).filter(({ make }) => make) : [];
  return [...linksIn(content), ...new Set(made.map(({ id }) => recordingRef(id)))];
}

/** The menu that a step is for: a phone number belongs to the one that it shall point to. */
export function ownerOf({ ref, after }: Pick<Step, "ref" | "after">): Ref {
  const [menu = ref] = isNumber(ref) && after ? linksIn(after) : [];
  return menu;
}

/** The ids of the menus that a content links to, each once. */
export function idsIn(content: Content): string[] {
  return linkedIds(destinationsIn(content));
}

/** The content with the ids of the menus and recordings that it refers to, as far as they are known. */
export function contentWithIds(
  content: Content,
  idOf: (ref: MenuRef | RecordingRef) => string | undefined,
): Content {
  const byKey = (key: string) => idOf(menuRef(key));
  if ("menu" in content) {
    const menu = withRecordingIds(content.menu, (name) => idOf(recordingRef(name)));
    return { menu: menuWithIds(menu, byKey) };
  }
  if ("make" in content) return content;
  return { to: content.to && destinationWithId(content.to, byKey) };
}
