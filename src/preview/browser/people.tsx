import { describeTurn, missing } from "../../call/describe-call.ts";
import type { PersonUse } from "../../call/reached.ts";
import { groupBy } from "../../util/group-by.ts";
import { many } from "../../util/many.ts";
import type { PreviewMenu } from "../data.ts";
import { EditableItem } from "./editable-item.tsx";
import { Items, Links, Pill } from "./parts.tsx";
import { ReplaceForm } from "./replace-form.tsx";
import { Face, wordsOf } from "./target.tsx";
import { useProject } from "./project.ts";
import { compareNames } from "./view.ts";

/** Whom callers reach: one line for each person, with the keys that reach them on click. */
export function People() {
  const { people } = useProject();
  const all = people.toSorted(([a], [b]) => compareNames(a.person.name, b.person.name));
  if (all.length === 0) return <p class="soft">Callers reach nobody yet.</p>;
  return <Items of={all}>{(uses) => <Person uses={uses} />}</Items>;
}

type Uses = readonly [PersonUse<PreviewMenu>, ...PersonUse<PreviewMenu>[]];

function Person({ uses }: { readonly uses: Uses }) {
  const [{ person }] = uses;
  const { name, about } = wordsOf(person, useProject());
  const why = person.kind === "agent" ? person.blocked && "blocked" : missing[person.why];
  const isOption = ({ path }: Uses[number]) => path.via === "option";
  const keys = groupBy(uses.filter(isOption), ({ menu }) => menu);
  const others = [...new Set(uses.filter((use) => !isOption(use)).map(({ menu }) => menu))];
  const pressed = (menu: PreviewMenu) =>
    (keys.get(menu) ?? []).map(({ path }) => `${describeTurn(path)} ${path.for ?? ""}`.trim());
  const count = uses.filter(isOption).length;
  const counts = [
    count > 0 && many(count, "key"),
    others.length > 0 && `otherwise in ${many(others.length, "menu")}`,
  ];
  const line = (
    <>
      <Face name={name} kind="agent" />
      <span class="who">
        <b>{name}</b> <small>{about}</small>
      </span>{" "}
      {why && <Pill look="bad">{why}</Pill>} <small>{counts.filter(Boolean).join(" · ")}</small>
    </>
  );
  return (
    <EditableItem
      line={line}
      words="Replace"
      label={`Replace ${name} everywhere`}
      form={(close) => <ReplaceForm person={person} count={uses.length} onClose={close} />}
    >
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
    </EditableItem>
  );
}
