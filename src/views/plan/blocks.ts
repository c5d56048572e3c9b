import { isDeepStrictEqual } from "node:util";
import { groupBy } from "../../util/group-by.ts";
import { notesOf, partsOf } from "./details.ts";
import { type AnyChange, type Detail, type Outlook, type Part, contentOf } from "./parts.ts";

/** A piece of a plan: one menu with everything that changes in it, or what is the same in several menus. */
export type Block = MenuBlock | GroupBlock;

export interface MenuBlock {
  readonly kind: "menu";
  readonly change: AnyChange;
  readonly details: readonly Detail[];
}

export interface GroupBlock {
  readonly kind: "group";
  /** All menus with this change, also those with more changes, which have their own block too. */
  readonly members: readonly AnyChange[];
  /** A member without a block of its own. */
  readonly example: AnyChange;
  readonly details: readonly Detail[];
  readonly notes: readonly Detail[];
}

/** The fewest menus that are shown together. Two are as easy to read one by one. */
const fewest = 3;

/**
 * Groups what is the same in several menus. Menus with something of their own come first, each in
 * its own block, so that a reviewer cannot miss them. Then come the groups, the smallest first.
 */
export function blocksOf(outlook: Outlook): readonly Block[] {
  const { changes } = contentOf(outlook);
  const parted = changes.map((change) => {
    // A group has one note, so only menus with the same note can share a part.
    const notes = JSON.stringify(notesOf(change, outlook, "several"));
    const parts = partsOf(change, outlook).map(({ id, details, shared = details }) => ({
      id: id + notes,
      details,
      shared,
    }));
    return { change, parts };
  });
  const groups = usefulGroups(parted);
  const shared = new Map(
    groups.flatMap(({ parts, members }) => parts.map(({ id }) => [id, members.length] as const)),
  );
  const menus = parted
    .filter(({ parts }) => !isCovered(parts, shared))
    .map(({ change, parts }) => menuBlock(change, parts, outlook, shared));
  return [...menus, ...groups.map((group) => groupBlock(group, outlook, shared))];
}

/** Every menu in its own block. */
export function singleBlocks(outlook: Outlook): readonly MenuBlock[] {
  return contentOf(outlook).changes.map((change) =>
    menuBlock(change, partsOf(change, outlook), outlook),
  );
}

/** The changes in these blocks, each once: first those with a block of their own, then the others by key. */
export function changesOf(blocks: readonly Block[]): AnyChange[] {
  const own = blocks.flatMap((block) => (block.kind === "menu" ? [block.change] : []));
  const grouped = blocks.flatMap((block) => (block.kind === "group" ? block.members : []));
  return [...new Set([...own, ...grouped.sort((a, b) => (a.key < b.key ? -1 : 1))])];
}

interface Parted {
  readonly change: AnyChange;
  readonly parts: readonly Part[];
}

interface Group {
  readonly parts: readonly Part[];
  readonly members: readonly Parted[];
}

/** The parts that several menus have, with their menus. Parts of the same menus are one group. */
function usefulGroups(parted: readonly Parted[]): readonly Group[] {
  const uses = parted.flatMap((member) => member.parts.map((part) => ({ member, part })));
  const byPart = [...groupBy(uses, ({ part }) => part.id).values()]
    .filter((own) => own.length >= fewest)
    .map((own) => ({
      part: commonPart(
        own[0].part,
        own.map(({ part }) => part),
      ),
      members: own.map(({ member }) => member),
    }));
  const byMembers = groupBy(byPart, ({ members }) =>
    JSON.stringify(members.map(({ change }) => change.key)),
  );
  let groups: readonly Group[] = [...byMembers.values()].map((own) => ({
    parts: own.map(({ part }) => part),
    members: own[0].members,
  }));
  // A group is useful if at least two of its menus then need no block of their own.
  for (;;) {
    const shared = new Set(groups.flatMap(({ parts }) => parts.map(({ id }) => id)));
    const useful = groups.filter(
      ({ members }) => members.filter(({ parts }) => isCovered(parts, shared)).length >= 2,
    );
    if (useful.length === groups.length) break;
    groups = useful;
  }
  return [...groups].sort((a, b) => a.members.length - b.members.length);
}

/** What these parts with the same id have in common. */
function commonPart({ id, details, shared = details }: Part, all: readonly Part[]): Part {
  const isSame = all.every((other) => isDeepStrictEqual(other.details, details));
  return { id, details: isSame ? details : shared };
}

/** Whether groups show everything about a change. */
function isCovered(parts: readonly Part[], shared: { has(id: string): boolean }): boolean {
  return parts.length > 0 && parts.every(({ id }) => shared.has(id));
}

function menuBlock(
  change: AnyChange,
  parts: readonly Part[],
  outlook: Outlook,
  shared: ReadonlyMap<string, number> = new Map(),
): MenuBlock {
  const own = parts.filter(({ id }) => !shared.has(id)).flatMap(({ details }) => details);
  const others = parts.flatMap(({ id, details }) => {
    const count = shared.get(id);
    return count === undefined
      ? []
      : details.map(({ label, text }) => ({ label, text: `${text} (the same in ${count} menus)` }));
  });
  return { kind: "menu", change, details: [...own, ...others, ...notesOf(change, outlook, 1)] };
}

function groupBlock(
  { parts, members }: Group,
  outlook: Outlook,
  shared: ReadonlyMap<string, number>,
): GroupBlock {
  const example = members.find((member) => isCovered(member.parts, shared));
  if (example === undefined) throw new Error("A group has a menu without its own block.");
  return {
    kind: "group",
    members: members.map(({ change }) => change),
    example: example.change,
    details: parts.flatMap(({ details }) => details),
    notes: notesOf(example.change, outlook, "several"),
  };
}
