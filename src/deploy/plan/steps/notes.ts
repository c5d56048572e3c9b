import { menuDestination } from "../../../schema/wire.ts";
import { groupBy } from "../../../util/group-by.ts";
import type { StateView } from "../../state/state.ts";
import { isSame } from "../digest.ts";
import { type Lists, type Resource, isIntact } from "./resources.ts";
import { type Ref, type Step, isHeld, isMenu, isNumber, isOld, nameIn, withIds } from "./step.ts";

/** Something that a user should know, and that holds nothing back. */
export interface Note {
  readonly code: "IVR614" | "IVR637" | "IVR639" | "IVR669" | "IVR670";
  readonly ref: Ref;
  /** What it is about besides: old menus, phone numbers, or ids on the service. */
  readonly of?: readonly string[];
}

/** The remarks about resources and their steps. */
export function notesOn(
  resources: readonly Resource[],
  steps: readonly Step[],
  state: StateView,
  lists: Lists,
): Note[] {
  const creates = steps.filter(({ op }) => op === "create");
  return [
    ...identicalOldMenus(creates, resources),
    ...unmanagedNamesakes(creates, resources, lists),
    ...resources.flatMap((one) => notCompared(one)),
    ...leftNumbers(resources, steps, state),
    ...resources.flatMap(({ ref, prior }): Note[] =>
      isNumber(ref) && prior?.pending ? [{ code: "IVR670", ref }] : [],
    ),
  ];
}

/** The old menus that are identical to a new one and still exist. */
function identicalOldMenus(creates: readonly Step[], resources: readonly Resource[]): Note[] {
  const old = resources.filter((one) => isOld(one.ref) && isIntact(one));
  const byName = groupBy(old, ({ prior }) => prior?.facts?.get("name"));
  return creates.flatMap(({ ref, after, links }): Note[] => {
    if (after === undefined) return [];
    const facts = withIds(after.facts, (to) => links.get(to));
    const same = (byName.get(facts.get("name")) ?? []).filter(
      ({ prior }) => prior?.facts && isSame(prior.facts, facts),
    );
    return same.length === 0 ? [] : [{ code: "IVR614", ref, of: same.map((one) => one.ref) }];
  });
}

/** The menus on the service with the name of a new one that are not on record. */
function unmanagedNamesakes(
  creates: readonly Step[],
  resources: readonly Resource[],
  { menus }: Lists,
): Note[] {
  const onRecord = new Set(resources.flatMap(({ prior }) => prior?.id ?? []));
  const known = new Set(resources.flatMap(({ ref, prior }) => (prior ? ref : [])));
  return creates.flatMap(({ ref, after }): Note[] => {
    const named = known.has(ref) ? [] : (menus?.named(after?.facts.get("name") ?? "") ?? []);
    const ids = named.filter((id) => !onRecord.has(id));
    return ids.length === 0 ? [] : [{ code: "IVR639", ref, of: ids }];
  });
}

/** A menu on record that cannot be found in the list, and that is not known to be gone. */
function notCompared({ ref, desired, prior, observed }: Resource): Note[] {
  const isWanted = isMenu(ref) && desired !== undefined && !prior?.pending;
  return isWanted && observed.kind === "unreadable" ? [{ code: "IVR637", ref }] : [];
}

/** The numbers that no file names any more, and that still lead to the menu that had them. */
function leftNumbers(
  resources: readonly Resource[],
  steps: readonly Step[],
  { keys }: StateView,
): Note[] {
  const byRef = new Map(resources.map((one) => [one.ref, one]));
  // What leads to another menu afterwards, or waits, is shown with the menu.
  const others = new Set(
    steps.flatMap((step) =>
      step.op === "create" || step.event === "restored" || isHeld(step) ? step.ref : [],
    ),
  );
  return resources.flatMap(({ ref, from, desired }): Note[] => {
    const current = isMenu(ref) ? keys.get(nameIn(from ?? ref))?.current : undefined;
    const id = current?.identified?.id;
    if (id === undefined || desired === undefined || others.has(ref)) return [];
    const left = (current?.naming.numbers ?? []).filter((number) => {
      const own = byRef.get(`number:${number}`);
      const leads = own?.observed.kind === "seen" && own.observed.facts.get("destination");
      return own?.desired === undefined && leads === menuDestination(id);
    });
    return left.length === 0 ? [] : [{ code: "IVR669", ref, of: left }];
  });
}
