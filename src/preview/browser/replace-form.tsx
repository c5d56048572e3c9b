import { useState } from "preact/hooks";
import type { CallDestination } from "../../model/call-menu.ts";
import { many } from "../../util/many.ts";
import type { Chosen } from "./choose.tsx";
import { DestinationField } from "./destination-field.tsx";
import { Form } from "./form.tsx";

interface ReplaceFormProps {
  readonly person: CallDestination & { readonly name: string };
  /** How many paths of menus reach the person. */
  readonly count: number;
  readonly onClose: () => void;
}

/** Everything that reaches one person reaches another. */
export function ReplaceForm({ person, count, onClose }: ReplaceFormProps) {
  const [chosen, setChosen] = useState<Chosen>();
  const eid = person.kind === "agent" ? person.eid : undefined;
  const from = eid === undefined ? person.name : `eid ${eid}`;
  return (
    <Form
      label={`Replace ${person.name} everywhere`}
      submit="Replace everywhere"
      requests={() =>
        chosen?.to.kind === "agent" ? [{ do: "replace", from, to: `eid ${chosen.to.eid}` }] : []
      }
      onClose={onClose}
    >
      <DestinationField
        label={`Instead of ${person.name}, ${many(count, "place")}`}
        menu={undefined}
        except={eid}
        was={undefined}
        chosen={chosen}
        onChoose={setChosen}
      />
    </Form>
  );
}
