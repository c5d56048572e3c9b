import type { CallMenu } from "../call/model.ts";
import type { Trigger } from "../call/words.ts";
import {
  type Branch,
  type Mark,
  type Picture,
  branchesOf,
  greeting,
  pictureOf,
} from "./picture.ts";

interface Compared {
  readonly picture: Picture;
  /** The indexes of the paths of the current version, in the order of its paths. */
  readonly current: readonly number[];
}

/**
 * Two versions of a menu in one picture. A path that differs is drawn twice, as it was and as it is.
 * Words say which is which, because not everybody sees the colors.
 */
export function comparedPicture(now: CallMenu, before: CallMenu): Compared {
  const left = new Map(
    branchesOf(before).map((branch, at) => [causeOf(branch, at, before), branch]),
  );
  const branches: Branch[] = [];
  const add = (branch: Branch, word: string, mark: Mark) =>
    branches.push({ ...branch, trigger: noted(branch.trigger, word), mark }) - 1;
  const current = branchesOf(now).map((branch, at) => {
    const cause = causeOf(branch, at, now);
    const old = left.get(cause);
    left.delete(cause);
    if (old === undefined) return add(branch, "new", "added");
    if (JSON.stringify(old) === JSON.stringify(branch)) return branches.push(branch) - 1;
    add(old, "before", "removed");
    return add(branch, "now", "changed");
  });
  for (const old of left.values()) add(old, "removed", "removed");
  const [lines, old] = [linesOf(now), linesOf(before)];
  const others = old.filter((line) => !lines.includes(line)).map((line) => `before: ${line}`);
  const mark = others.length === 0 && lines.length === old.length ? undefined : "changed";
  const menu = { lines: [...lines, ...others], mark } as const;
  return { picture: pictureOf(now.name, [{ menu, branches }]), current };
}

function linesOf(menu: CallMenu): string[] {
  return [menu.name, menu.key, ...greeting(menu)];
}

/** What makes a call take a path: a key, or a wrong key or silence, which come after all keys. */
function causeOf({ trigger }: Branch, at: number, { options }: CallMenu): string {
  const [key] = trigger.keys;
  return key === undefined ? `other ${at - options.length}` : `key ${key}`;
}

function noted(trigger: Trigger, word: string): Trigger {
  const { keys, purpose, otherwise } = trigger;
  return keys.length === 0
    ? { ...trigger, otherwise: otherwise.map((cause) => `${word}: ${cause}`) }
    : { ...trigger, purpose: purpose === undefined ? word : `${word}: ${purpose}` };
}
