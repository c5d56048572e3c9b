import { useRef, useState } from "preact/hooks";
import type { CallDestination } from "../../model/call-menu.ts";
import { type Chosen, Choose } from "./choose.tsx";
import { Button } from "./parts.tsx";
import { Face, wordsOf } from "./target.tsx";
import { useProject } from "./project.ts";

interface DestinationFieldProps {
  readonly label?: string;
  /** The menu whose key it is. Undefined if only people can be chosen. */
  readonly menu: string | undefined;
  /** The extension of somebody who cannot be chosen. */
  readonly except?: string | undefined;
  readonly was: CallDestination | undefined;
  readonly chosen: Chosen | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

/** What a form shows of the place that a key goes to, until the person chooses again. */
export function DestinationField(props: DestinationFieldProps) {
  const { label = "Goes to", menu, except, was, chosen, onChoose } = props;
  const project = useProject();
  const field = useRef<HTMLDivElement>(null);
  const [isSearch, setSearch] = useState(was === undefined);
  const old = was && wordsOf(was, project);
  const shown = chosen ?? old;
  const about = chosen && old && chosen.name !== old.name ? `instead of ${old.name}` : shown?.about;
  const choose = (one: Chosen) => {
    setSearch(false);
    onChoose(one);
    setTimeout(() => field.current?.querySelector("button")?.focus());
  };
  if (isSearch) return <Choose label={label} menu={menu} except={except} onChoose={choose} />;
  return (
    <div class="choose" ref={field}>
      <span class="label" id={`label ${label}`}>
        {label}
      </span>
      <Button
        look="chip"
        aria-describedby={`label ${label}`}
        onClick={() => setSearch(true)}
        words={
          <>
            <Face name={shown?.name ?? ""} kind={chosen?.to.kind ?? was?.kind ?? "agent"} />
            <span class="who">
              <b>{shown?.name}</b>
              <small>{about}</small>
            </span>
            <span class="note">Choose again</span>
          </>
        }
      />
    </div>
  );
}
