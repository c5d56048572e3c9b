import { useState } from "preact/hooks";
import { reachedFrom } from "../../call/reached.ts";
import { type CallPath, pathsOf } from "../../model/call-menu.ts";
import { groupBy } from "../../util/group-by.ts";
import type { PreviewMenu } from "../data.ts";
import { Button, List, Pill } from "./parts.tsx";
import { Target, wordsOf } from "./target.tsx";
import { useProject } from "./project.ts";
import { type PageProject, menuAddress } from "./view.ts";

/** Menus of larger flows are folded. */
const mostOpen = 40;

/**
 * The flow of all calls that begin in a menu as a list of steps, which fits everywhere: below each key
 * that goes to a menu are the keys of that menu. Each menu is shown once; other keys link to it.
 */
export function Flow({ menu }: { readonly menu: PreviewMenu }) {
  const project = useProject();
  const all = reachedFrom(menu, (key) => project.pages.get(key));
  const under = nearest(menu, project);
  return (
    <div class="card flow">
      <p class="start">
        {menu.numbers.length > 0 && <span>{menu.numbers.join(", ")} → </span>}
        <a href={menuAddress(menu.key)}>{menu.name}</a>
      </p>
      <Keys menu={menu} under={under} isOpen={all.length <= mostOpen} />
    </div>
  );
}

/** The paths of a menu with the same destination, in one line. */
type Joined = readonly [CallPath, ...CallPath[]];

function joinedPaths({ call }: PreviewMenu, project: PageProject): Joined[] {
  const paths = call ? pathsOf(call) : [];
  const byTarget = groupBy(paths, ({ destination }) => wordsOf(destination, project).id);
  return [...byTarget.values()];
}

/** The menus below each menu: those that a call gets to from there first. */
function nearest(first: PreviewMenu, { pages }: PageProject) {
  const under = new Map<PreviewMenu, Set<string>>();
  const seen = new Set([first]);
  // A set grows while it is read.
  for (const menu of seen) {
    const own = new Set<string>();
    for (const { destination: to } of menu.call ? pathsOf(menu.call) : []) {
      const next = to.kind === "menu" ? pages.get(to.key) : undefined;
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

function Keys({ menu, under, isOpen }: KeysProps) {
  const project = useProject();
  if (menu.call === undefined) return <p class="soft">This menu has errors.</p>;
  return (
    <List look="steps" of={joinedPaths(menu, project)}>
      {(paths) => <Turn paths={paths} menu={menu} under={under} isOpen={isOpen} />}
    </List>
  );
}

function Turn({ paths, menu, under, isOpen }: KeysProps & { readonly paths: Joined }) {
  const project = useProject();
  const [isShown, setShown] = useState(isOpen);
  const [{ destination }] = paths;
  const { fault, menu: key } = wordsOf(destination, project);
  const next = key === undefined ? undefined : project.pages.get(key);
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
          <Target destination={destination} />
        </span>
        {fault !== undefined && <Pill look="bad">{fault}</Pill>}
        {isBelow && !isOpen && (
          <Button
            words={isShown ? "Fold" : "Unfold"}
            isOpen={isShown}
            onClick={() => setShown(!isShown)}
          />
        )}
        {next && !isBelow && <small>its keys are elsewhere in this list</small>}
      </div>
      {next && isBelow && isShown && <Keys menu={next} under={under} isOpen={isOpen} />}
    </>
  );
}
