import { describeTurn, missing } from "../../call/describe-call.ts";
import { type PersonUse, peopleIn } from "../../call/reached.ts";
import { groupBy } from "../../util/group-by.ts";
import { listed } from "../../util/many.ts";
import type { PreviewData, PreviewMenu } from "../data.ts";
import { Links, List, Mark, Section } from "./parts.tsx";
import { compareNames, byNumberAndName } from "./view.ts";

/** One line for each person: the keys that reach them, and why they get no calls. */
export function People({ menus, people }: Pick<PreviewData, "menus" | "people">) {
  const nameOf = ([{ person }]: Uses) => person.name;
  const current = menus.filter(({ change }) => change?.kind !== "deleted");
  const all = peopleIn(byNumberAndName(current)).toSorted((a, b) =>
    compareNames(nameOf(a), nameOf(b)),
  );
  return (
    <article>
      <header>
        <h2 tabIndex={-1}>People</h2>
        <p class="about">Whom callers reach, and by which keys</p>
      </header>
      <Section id="people" heading={all.length === 1 ? "1 person" : `${all.length} people`}>
        <List look="entries" of={all}>
          {(uses) => <Person uses={uses} people={people} />}
        </List>
      </Section>
    </article>
  );
}

type Uses = readonly [PersonUse<PreviewMenu>, ...PersonUse<PreviewMenu>[]];

function Person({ uses, people }: Pick<PreviewData, "people"> & { readonly uses: Uses }) {
  const [{ person }] = uses;
  const about =
    person.kind === "agent"
      ? (people?.[person.eid]?.details ?? person.team ?? `extension ${person.eid}`)
      : "";
  const blocked = person.kind === "agent" && person.blocked ? "blocked" : undefined;
  const why = person.kind === "unreachable" ? missing[person.why] : blocked;
  const isOption = ({ path }: Uses[number]) => path.via === "option";
  const keys = groupBy(uses.filter(isOption), ({ menu }) => menu);
  const others = new Set(uses.filter((use) => !isOption(use)).map(({ menu }) => menu));
  const names = listed(
    [...others].map(({ name }) => name),
    3,
  );
  const pressed = (menu: PreviewMenu) =>
    (keys.get(menu) ?? []).map(({ path }) => `${describeTurn(path)} ${path.for ?? ""}`.trim());
  return (
    <>
      <b>{person.name}</b>
      {about !== "" && ` (${about})`}
      {why !== undefined && " "}
      {why !== undefined && <Mark word={why} />}:{" "}
      <Links menus={[...keys.keys()]} words={(menu) => ` ${pressed(menu).join(", ")}`} />
      {others.size > 0 && (
        <span class="about">
          {keys.size > 0 && " · "}after wrong keys or silence: {names}
        </span>
      )}
    </>
  );
}
