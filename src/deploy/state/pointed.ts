import type { FollowUp, Recorded } from "../../schema/state.ts";
import { Contradiction, withoutNumber } from "./records.ts";
import { type StateView, menuRecord } from "./view.ts";

/* Which menus phone numbers point to, if a person or a list says so. Each returns the records that change. */

type Records = Pick<StateView, "records">;

/** A number points to the menu of the key, and so to no other menu. */
export function pointed(state: Records, key: string, number: string): Recorded[] {
  if (!menuRecord(state, key)?.current) throw new Contradiction(`${key} has no confirmed record`);
  return [...state.records.values()].flatMap((record): Recorded[] => {
    if ((record.kind !== "menu" && record.kind !== "old") || !record.current) return [];
    const { pointed: before = record.current.menu.numbers ?? [] } = record.current;
    const others = before.filter((one) => one !== number);
    const isHere = record.kind === "menu" && record.key === key;
    if (!isHere && others.length === before.length) return [];
    const current = { ...record.current, pointed: isHere ? [...others, number] : others };
    return [{ ...record, current }];
  });
}

/** An old menu is out of service, so its numbers point to the current menu if that lists them. */
export function pointedFrom(state: Records, { key, current: old }: FollowUp): Recorded[] {
  const current = menuRecord(state, key)?.current;
  if (current?.pointed === undefined) return [];
  const left = old.pointed ?? old.menu.numbers ?? [];
  const numbers = (current.menu.numbers ?? []).filter((number) => left.includes(number));
  const all = new Set([...current.pointed, ...numbers]);
  const record = menuRecord(state, key);
  return record ? [{ ...record, current: { ...current, pointed: [...all] } }] : [];
}

/** A phone number does not point to these menus of the key any more. */
export function unbound(
  { records }: Records,
  key: string,
  number: string,
  ...kinds: readonly ("menu" | "old")[]
): Recorded[] {
  return [...records.values()].flatMap((record): Recorded[] => {
    if (record.kind !== "menu" && record.kind !== "old") return [];
    if (!kinds.includes(record.kind)) return [];
    if (record.key !== key || record.current === null) return [];
    return [{ ...record, current: withoutNumber(record.current, number) }];
  });
}
