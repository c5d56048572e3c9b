import { useState } from "preact/hooks";
import type { CallDestination } from "../../model/call-menu.ts";
import { many } from "../../util/many.ts";
import type { Chosen } from "./choose.tsx";
import { DestinationField } from "./destination-field.tsx";
import { Form } from "./form.tsx";
import type { Within } from "./view.ts";

interface ReplaceFormProps {
  readonly person: CallDestination & { readonly name: string };
  /** How many paths of menus reach the person. */
  readonly count: number;
  readonly onClose: () => void;
}

/** Everything that reaches one person reaches another. */
export function ReplaceForm({ person, count, onClose, around }: Within<ReplaceFormProps>) {
  const [chosen, setChosen] = useState<Chosen>();
  const from = person.kind === "agent" ? `eid ${person.eid}` : person.name;
  const to = chosen?.to.kind === "agent" ? `eid ${chosen.to.eid}` : undefined;
  return (
    <Form
      label={`Replace ${person.name} everywhere`}
      submit="Replace everywhere"
      isReady={to !== undefined}
      requests={() => (to === undefined ? [] : [{ do: "replace", from, to }])}
      onClose={onClose}
    >
      <DestinationField
        label={`Instead of ${person.name}, ${many(count, "place")}`}
        menu={undefined}
        except={person.kind === "agent" ? person.eid : undefined}
        was={undefined}
        chosen={chosen}
        onChoose={setChosen}
        around={around}
      />
    </Form>
  );
}
