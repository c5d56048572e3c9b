import { peopleIn, reachedFrom } from "../../call/reached.ts";
import { listed, many } from "../../util/many.ts";
import type { PreviewMenu } from "../data.ts";
import { Items, faultOf } from "./parts.tsx";
import { useProject } from "./project.ts";
import { type PageProject, flowAddress, menuAddress } from "./view.ts";

/** Where calls begin: the phone numbers with their menus, then the menus without a number. */
export function Numbers() {
  const project = useProject();
  const starts = startsIn(project);
  if (starts.length === 0) return <p class="soft">There is no menu yet.</p>;
  return (
    <Items of={starts}>
      {({ menu, reached }) => (
        <div class="line number">
          <a class="cover" href={menuAddress(menu.key)}>
            {menu.name}
          </a>
          <span class="soft">
            {menu.numbers.length === 0 ? "without a number" : menu.numbers.join(", ")}
          </span>
          <small>{aboutCalls(reached, project)}</small>
          {faultOf(menu)}
          <a class="beside" href={flowAddress(menu.key)} aria-label={`Flow of ${menu.name}`}>
            Flow
          </a>
        </div>
      )}
    </Items>
  );
}

/** Where calls begin. Those with a number and the most menus behind it come first. */
function startsIn({ current, pages }: PageProject) {
  return current
    .filter(({ entry, numbers }) => entry || numbers.length > 0)
    .map((menu) => {
      const reached = reachedFrom(menu, (key) => pages.get(key));
      return { menu, reached, rank: menu.numbers.length === 0 ? 0 : reached.length };
    })
    .toSorted((a, b) => b.rank - a.rank);
}

/** Whom callers reach who can get to these menus. */
function aboutCalls(reached: readonly PreviewMenu[], { people }: PageProject): string {
  const persons = peopleIn(reached).map(([{ person }]) => person);
  const names = persons.map((person) => {
    const isShared = people.filter(([use]) => use.person.name === person.name).length > 1;
    const team = isShared && person.kind === "agent" && person.team;
    return team ? `${person.name} (${team})` : person.name;
  });
  return [
    names.length === 0 ? [] : `reaches ${listed(names, 3)}`,
    reached.length === 1 ? [] : many(reached.length, "menu"),
  ]
    .flat()
    .join(" · ");
}
