import { useState } from "preact/hooks";
import { describeTurn, missing } from "../../call/describe-call.ts";
import type { PersonUse } from "../../call/reached.ts";
import { groupBy } from "../../util/group-by.ts";
import { many } from "../../util/many.ts";
import type { PreviewMenu } from "../data.ts";
import { useEditor } from "./editor.ts";
import { Item, Links, List, Pill } from "./parts.tsx";
import { ReplaceForm } from "./replace-form.tsx";
import { Face, wordsOf } from "./target.tsx";
import { type PageProject, type Within, compareNames } from "./view.ts";

/** Whom callers reach: one line for each person, with the keys that reach them on click. */
export function People({ project }: { readonly project: PageProject }) {
  const all = project.people.toSorted(([a], [b]) => compareNames(a.person.name, b.person.name));
  if (all.length === 0) return <p class="soft">Callers reach nobody yet.</p>;
  return (
    <div class="card">
      <List look="items" of={all}>
        {(uses) => <Person uses={uses} around={project} />}
      </List>
    </div>
  );
}

type Uses = readonly [PersonUse<PreviewMenu>, ...PersonUse<PreviewMenu>[]];

function Person({ uses, around }: Within<{ uses: Uses }>) {
  const editor = useEditor();
  const [isReplaced, setReplaced] = useState(false);
  const [{ person }] = uses;
  const { name, about } = wordsOf({ destination: person, around });
  const why = person.kind === "agent" ? person.blocked && "blocked" : missing[person.why];
  const isOption = ({ path }: Uses[number]) => path.via === "option";
  const keys = groupBy(uses.filter(isOption), ({ menu }) => menu);
  const others = [...new Set(uses.filter((use) => !isOption(use)).map(({ menu }) => menu))];
  const pressed = (menu: PreviewMenu) =>
    (keys.get(menu) ?? []).map(({ path }) => `${describeTurn(path)} ${path.for ?? ""}`.trim());
  const count = uses.filter(isOption).length;
  const line = (
    <>
      <Face name={name} kind="agent" />
      <span class="who">
        <b>{name}</b> <small>{about}</small>
      </span>{" "}
      {why && <Pill look="bad">{why}</Pill>}{" "}
      <small>
        {count > 0 ? many(count, "key") : ""}
        {count > 0 && others.length > 0 ? " · " : ""}
        {others.length > 0 ? `otherwise in ${many(others.length, "menu")}` : ""}
      </small>
    </>
  );
  return (
    <div class="problem">
      <Item line={line}>
        {keys.size > 0 && (
          <p>
            <Links menus={[...keys.keys()]} words={(menu) => ` ${pressed(menu).join(", ")}`} />
          </p>
        )}
        {others.length > 0 && (
          <p>
            After wrong keys or silence: <Links menus={others} />
          </p>
        )}
        {person.kind === "agent" && <p class="soft">Extension {person.eid}</p>}
      </Item>
      {editor && (
        <button
          type="button"
          class="quiet"
          aria-label={`Replace ${name} everywhere`}
          aria-expanded={isReplaced}
          onClick={() => setReplaced(!isReplaced)}
        >
          Replace
        </button>
      )}
      {isReplaced && (
        <ReplaceForm
          person={person}
          count={uses.length}
          onClose={() => setReplaced(false)}
          around={around}
        />
      )}
    </div>
  );
}
