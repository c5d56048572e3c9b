import { describeTurn, missing } from "../../call/describe-call.ts";
import { type PersonUse, peopleIn } from "../../call/reached.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed } from "../../util/many.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";
import { Links, List, Mark, Section } from "./parts.tsx";
import { type PageProject, compareNames } from "./view.ts";

/** One line for each person: the keys that reach them, and why they get no calls. */
export function People({ project }: { readonly project: PageProject }) {
  const all = peopleIn(project.current).toSorted(([a], [b]) =>
    compareNames(a.person.name, b.person.name),
  );
  return (
    <>
      <p class="about">Whom callers reach, and by which keys</p>
      <Section id="people" heading={all.length === 1 ? "1 person" : `${all.length} people`}>
        <List look="entries" of={all}>
          {(uses) => <Person uses={uses} people={project.data.people} />}
        </List>
      </Section>
    </>
  );
}

type Uses = readonly [PersonUse<PreviewMenu>, ...PersonUse<PreviewMenu>[]];

function Person({ uses, people }: Pick<PreviewData, "people"> & { readonly uses: Uses }) {
  const [{ person }] = uses;
  const isAgent = person.kind === "agent";
  const about =
    isAgent && (people?.[person.eid]?.details ?? person.team ?? `extension ${person.eid}`);
  const why = isAgent ? person.blocked && "blocked" : missing[person.why];
  const isOption = ({ path }: Uses[number]) => path.via === "option";
  const keys = groupBy(uses.filter(isOption), ({ menu }) => menu);
  const others = new Set(uses.filter((use) => !isOption(use)).map(({ menu }) => menu));
  const names = Array.from(others, ({ name }) => name);
  const pressed = (menu: PreviewMenu) =>
    (keys.get(menu) ?? []).map(({ path }) => `${describeTurn(path)} ${path.for ?? ""}`.trim());
  return (
    <>
      <b>{person.name}</b>
      {about && ` (${about})`}
      {why && " "}
      {why && <Mark word={why} />}:{" "}
      <Links menus={[...keys.keys()]} words={(menu) => ` ${pressed(menu).join(", ")}`} />
      {others.size > 0 && (
        <span class="about">
          {keys.size > 0 && " · "}after wrong keys or silence: {listed(names, 3)}
        </span>
      )}
    </>
  );
}
