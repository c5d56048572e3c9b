import { useRef, useState } from "preact/hooks";
import type { CallDestination } from "../../model/call-menu.ts";
import { type Chosen, Choose } from "./choose.tsx";
import { Face, wordsOf } from "./target.tsx";
import type { Within } from "./view.ts";

/** What a form shows of the place that a key goes to, until the person chooses again. */
export function DestinationField({
  label = "Goes to",
  menu,
  except,
  was,
  chosen,
  onChoose,
  around,
}: Within<{
  label?: string;
  /** The menu whose key it is. Undefined if only people can be chosen. */
  menu: string | undefined;
  /** The extension of somebody who cannot be chosen. */
  except?: string | undefined;
  was: CallDestination | undefined;
  chosen: Chosen | undefined;
  onChoose: (chosen: Chosen) => void;
}>) {
  const chip = useRef<HTMLButtonElement>(null);
  const [isSearch, setSearch] = useState(was === undefined);
  const old = was && wordsOf({ destination: was, around });
  if (isSearch) {
    const choose = (one: Chosen) => {
      setSearch(false);
      onChoose(one);
      setTimeout(() => chip.current?.focus());
    };
    return <Choose label={label} menu={menu} except={except} onChoose={choose} around={around} />;
  }
  const shown = chosen ?? old;
  const kind = chosen?.to.kind ?? was?.kind ?? "agent";
  return (
    <div class="choose">
      <span class="label" id={`label ${label}`}>
        {label}
      </span>
      <button
        ref={chip}
        type="button"
        class="chip"
        aria-describedby={`label ${label}`}
        onClick={() => setSearch(true)}
      >
        <Face name={shown?.name ?? ""} kind={kind} />
        <span class="who">
          <b>{shown?.name}</b>
          <small>
            {chosen && old && chosen.name !== old.name ? `instead of ${old.name}` : shown?.about}
          </small>
        </span>
        <span class="note">Choose again</span>
      </button>
    </div>
  );
}
