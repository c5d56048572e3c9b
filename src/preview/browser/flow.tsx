import { useState } from "preact/hooks";
import { reachedFrom } from "../../call/reached.ts";
import { type CallPath, pathsOf } from "../../model/call-menu.ts";
import { groupBy } from "../../util/group-by.ts";
import type { PreviewMenu } from "../data.ts";
import { List, Pill } from "./parts.tsx";
import { Target, wordsOf } from "./target.tsx";
import { type Within, menuAddress } from "./view.ts";

/** Menus of larger flows are folded. */
const mostOpen = 40;

/**
 * The flow of all calls that begin in a menu as a list of steps, which fits everywhere: below each key
 * that goes to a menu are the keys of that menu. Each menu is shown once; other keys link to it.
 */
export function Flow({ menu, around }: Within<{ menu: PreviewMenu }>) {
  const all = reachedFrom(menu, (key) => around.pages.get(key));
  const under = nearest(menu, around);
  return (
    <div class="card flow">
      <p class="start">
        {menu.numbers.length > 0 && <span>{menu.phones.join(", ")} → </span>}
        <a href={menuAddress(menu.key)}>{menu.name}</a>
      </p>
      <Keys menu={menu} under={under} isOpen={all.length <= mostOpen} around={around} />
    </div>
  );
}

/** The paths of a menu with the same destination, in one line. */
type Joined = readonly [CallPath, ...CallPath[]];

function joinedPaths({ call }: PreviewMenu, around: Within<object>["around"]): Joined[] {
  const paths = call ? pathsOf(call) : [];
  const byTarget = groupBy(paths, ({ destination }) => wordsOf({ destination, around }).id);
  return [...byTarget.values()];
}

/** The menus below each menu: those that a call gets to from there first. */
function nearest(first: PreviewMenu, around: Within<object>["around"]) {
  const under = new Map<PreviewMenu, Set<string>>();
  const seen = new Set([first]);
  // A set grows while it is read.
  for (const menu of seen) {
    const own = new Set<string>();
    for (const { destination: to } of menu.call ? pathsOf(menu.call) : []) {
      const next = to.kind === "menu" ? around.pages.get(to.key) : undefined;
      if (next === undefined || seen.has(next)) continue;
      seen.add(next);
      own.add(next.key);
    }
    under.set(menu, own);
  }
  return under;
}

interface KeysProps {
  readonly menu: PreviewMenu;
  readonly under: ReturnType<typeof nearest>;
  readonly isOpen: boolean;
}

function Keys({ menu, under, isOpen, around }: Within<KeysProps>) {
  if (menu.call === undefined) return <p class="soft">This menu has errors.</p>;
  return (
    <List look="steps" of={joinedPaths(menu, around)}>
      {(paths) => <Turn paths={paths} menu={menu} under={under} isOpen={isOpen} around={around} />}
    </List>
  );
}

function Turn({ paths, menu, under, isOpen, around }: Within<KeysProps & { paths: Joined }>) {
  const [isShown, setShown] = useState(isOpen);
  const [{ destination }] = paths;
  const { fault, menu: key } = wordsOf({ destination, around });
  const next = key === undefined ? undefined : around.pages.get(key);
  const isBelow = next !== undefined && under.get(menu)?.has(next.key) === true;
  const keys = paths.flatMap(({ key: pressed }) => pressed ?? []);
  const purposes = paths.flatMap((path) => path.for ?? []);
  const others = paths.flatMap(({ via }) =>
    via === "option" ? [] : via === "invalid" ? "wrong keys" : "silence",
  );
  return (
    <>
      <div class="turn">
        {keys.map((pressed) => (
          <span key={pressed} class="cap">
            {pressed}
          </span>
        ))}
        <span class="for">{[...new Set([...purposes, ...others])].join(", ")}</span>
        <span class="to">
          <Target destination={destination} around={around} />
        </span>
        {fault !== undefined && <Pill look="bad">{fault}</Pill>}
        {isBelow && !isOpen && (
          <button
            type="button"
            class="quiet"
            aria-expanded={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? "Fold" : "Unfold"}
          </button>
        )}
        {next && !isBelow && <small>its keys are elsewhere in this list</small>}
      </div>
      {next && isBelow && isShown && (
        <Keys menu={next} under={under} isOpen={isOpen} around={around} />
      )}
    </>
  );
}
