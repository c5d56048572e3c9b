import { useState } from "preact/hooks";
import type { CallDestination } from "../../model/call-menu.ts";
import { type Chosen, Choose } from "./choose.tsx";
import { Face, wordsOf } from "./target.tsx";
import type { Within } from "./view.ts";

/** What a form shows of the place that a key goes to, until the person chooses again. */
export function DestinationField({
  menu,
  was,
  chosen,
  onChoose,
  around,
}: Within<{
  menu: string;
  was: CallDestination | undefined;
  chosen: Chosen | undefined;
  onChoose: (chosen: Chosen) => void;
}>) {
  const [isSearch, setSearch] = useState(was === undefined);
  const old = was && wordsOf({ destination: was, around });
  if (isSearch) {
    const choose = (one: Chosen) => {
      setSearch(false);
      onChoose(one);
    };
    return <Choose menu={menu} onChoose={choose} around={around} />;
  }
  const shown = chosen ?? old;
  const kind = chosen?.to.kind ?? was?.kind ?? "agent";
  return (
    <div class="choose">
      <span class="label" id="goes-to">
        Goes to
      </span>
      <button type="button" class="chip" aria-describedby="goes-to" onClick={() => setSearch(true)}>
        <Face name={shown?.name ?? ""} kind={kind} />
        <span class="who">
          <b>{shown?.name}</b>
          <small>
            {chosen && old && chosen.name !== old.name ? `instead of ${old.name}` : shown?.about}
          </small>
        </span>
        <span class="from">Choose again</span>
      </button>
    </div>
  );
}
