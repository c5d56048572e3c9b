import type { OperationName, Permission } from "../../../schema/operations.ts";
import {
  type Destination,
  type Menu,
  destinationsOf,
  isSameTarget,
  linkedIds,
  openLinks,
  destinationWithId,
  withIds as menuWithIds,
} from "../../../model/menu.ts";
import { isSameMenu } from "../../../model/menu-diff.ts";
import { type MenuRef, type Ref, isNumber, menuRef } from "../../../schema/ref.ts";
import type { Patterns } from "../targets.ts";

/** What a menu is, or what a phone number points to. A link has no id until that is known. */
export type StepContent = { readonly menu: Menu } | { readonly to: Destination | null };

/** `record` changes only the state. */
export type Op = "create" | "update" | "delete" | "record";

/** What a `record` step records. */
export type RecordedEvent = "moved" | "removed" | "dropped" | "restored" | "matched" | "reworded";

/** One thing that apply does, or that it does not do because something holds it back. */
export interface Step {
  readonly ref: Ref;
  readonly op: Op;
  /** Absent for a step that needs a request, and for an outcome that is not known. */
  readonly event?: RecordedEvent | undefined;
  /** The id on the service of what is changed. */
  readonly id?: string | undefined;
  /** The former key of a menu that moves. */
  readonly from?: Ref | undefined;
  /** The old menu that becomes current again. */
  readonly spare?: Ref | undefined;
  /** What it was compared with: what the service shows, else what is recorded. Absent for something new. */
  readonly base?: StepContent | undefined;
  /** The keys with a webhook on the service, which is lost. Absent if the menu is not seen, or stays. */
  readonly webhooks?: readonly string[] | undefined;
  /** What it becomes, with references to menus. */
  readonly after?: StepContent | undefined;
  /** The ids that were known when the step was decided, of the menus that `after` refers to. */
  readonly links: Readonly<Record<string, string>>;
  /** What has to be done, or to exist, before. */
  readonly needs: readonly Ref[];
  /** Why apply does not do it. */
  readonly holds: readonly Hold[];
}

export interface Hold {
  readonly why: Why;
  /** What it is about, if it is not the resource itself: a `Ref`, or `id:7` for a menu that is not recorded. */
  readonly of?: string | undefined;
}

interface HoldKind {
  /** Whether nothing of the plan is applied. Otherwise, only this step is left out. */
  readonly refuses: boolean;
  readonly allow?: Permission;
}

/** Everything that can hold a step back. */
const holdKinds = {
  /** The outcome of an earlier request is not known. */
  unknown: { refuses: false },
  /** The menu is recorded, but the service does not list it. */
  missing: { refuses: false, allow: "recreate" },
  /** The id that a person recorded is that of a menu with a different name. */
  mistaken: { refuses: false },
  /** Somebody changed it on the console, and the service cannot change it back. */
  drift: { refuses: false },
  /** It needs something that does not exist, is not known or is held back itself. */
  waiting: { refuses: false },
  /** It names an agent who gets no calls. */
  blocked: { refuses: false },
  /** The account does not have the phone number, or lists it twice. */
  unlisted: { refuses: false },
  /** A request for a menu like this one has an unknown outcome. */
  lookalike: { refuses: false },
  /** The service lists a menu with the name of a new one, and it is not recorded. */
  namesake: { refuses: false, allow: "same-name" },
  /** Menus would all have to be created after each other. */
  circle: { refuses: true },
  /** It cannot be found in the list, so it cannot be changed. */
  unreadable: { refuses: true },
  /** `on_change: refuse` */
  refused: { refuses: true },
  /** An update would remove webhooks. */
  loses: { refuses: true, allow: "webhook-loss" },
  /** The number pointed to this menu, and somebody moved it on the console. */
  moved: { refuses: false, allow: "take-number" },
  /** The number points to something that ivrctl does not manage, and never pointed to this menu. */
  foreign: { refuses: true, allow: "take-number" },
  /** Something still links to a menu that is to be deleted. */
  inbound: { refuses: true },
  /** The list may be cut off. It counts only if the user names every menu that it lacks. */
  cutoff: { refuses: true },
  /** More creates than `max_creates:` allows. */
  creates: { refuses: true },
  /** A file was probably renamed without `moved_from:`. */
  rename: { refuses: true },
  /** `moved_from:` names a recorded menu, but its new key is recorded too. */
  twice: { refuses: true },
} as const satisfies Readonly<Record<string, HoldKind>>;

export type Why = keyof typeof holdKinds;

function holdKind(why: Why): HoldKind {
  return holdKinds[why];
}

/** Whether nothing of a plan with this hold is applied. */
export function isRefusal(why: Why): boolean {
  return holdKind(why).refuses;
}

/** Whether nothing of these steps is applied. */
export function isRefused(steps: readonly Step[]): boolean {
  return steps.some(({ holds }) => holds.some(({ why }) => isRefusal(why)));
}

/**
 * Whether only this step is left out, or waits for steps that are. What refuses the plan does not count:
 * then nothing is applied, and the plan shows what it would do otherwise.
 */
export function isHeld({ holds }: Step): boolean {
  return holds.some(({ why }) => why === "circle" || !isRefusal(why));
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
  ...whys: readonly (Why | false)[]
): Hold[] {
  return whys.flatMap((why) => {
    const lift = why === false ? undefined : holdKind(why).allow;
    return why === false || (lift !== undefined && allowed.has(lift)) ? [] : { why };
  });
}

function destinationsIn(content: StepContent): readonly Destination[] {
  if ("menu" in content) return destinationsOf(content.menu);
  return content.to === null ? [] : [content.to];
}

/** Whether two contents are the same on the service. */
export function isSame(a: StepContent, b: StepContent): boolean {
  if ("menu" in a) return "menu" in b && isSameMenu(a.menu, b.menu);
  return !("menu" in b) && isSameTarget(a.to, b.to);
}

/** The menus that a content refers to without their ids, each once. */
export function linksIn(content: StepContent): MenuRef[] {
  return openLinks(destinationsIn(content)).map(menuRef);
}

/** The menu that a step is for: a phone number belongs to the one that it shall point to. */
export function ownerOf({ ref, after }: Pick<Step, "ref" | "after">): Ref {
  const [menu = ref] = isNumber(ref) && after ? linksIn(after) : [];
  return menu;
}

/** The ids of the menus that a content links to, each once. */
export function idsIn(content: StepContent): string[] {
  return linkedIds(destinationsIn(content));
}

/** The content with the ids of the menus that it refers to, as far as they are known. */
export function contentWithIds(
  content: StepContent,
  idOf: (ref: MenuRef) => string | undefined,
): StepContent {
  const byKey = (key: string) => idOf(menuRef(key));
  if ("menu" in content) return { menu: menuWithIds(content.menu, byKey) };
  return { to: content.to && destinationWithId(content.to, byKey) };
}
