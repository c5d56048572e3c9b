import { useState } from "preact/hooks";
import type { PreviewMenu } from "../data.ts";
import { FieldsForm } from "./fields-form.tsx";
import { fieldsOfPart } from "./menu-fields.ts";
import { SaysInput } from "./says-form.tsx";
import type { Within } from "./view.ts";

interface GreetingFormProps {
  readonly menu: PreviewMenu;
  /** A text that fits the keys. */
  readonly suggested: string | undefined;
  readonly onClose: () => void;
}

/** Which recording a menu plays first, and what that says. */
export function GreetingForm({ menu, suggested, onClose, around }: Within<GreetingFormProps>) {
  const { alias, says: old = "" } = menu.call?.recording ?? {};
  const [says, setSays] = useState(suggested ?? old);
  const isChanged = says.trim() !== "" && says.trim() !== old;
  return (
    <FieldsForm
      label="What callers hear"
      menu={menu}
      paths={fieldsOfPart("prompt")}
      also={
        alias !== undefined && isChanged ? [{ do: "says", recording: alias, to: says.trim() }] : []
      }
      onClose={onClose}
      around={around}
    >
      {alias !== undefined && <SaysInput says={says} onInput={setSays} />}
    </FieldsForm>
  );
}
