import { useState } from "preact/hooks";
import type { CallRecording } from "../../model/call-menu.ts";
import type { EditRequest } from "../../schema/edit-request.ts";
import type { PreviewMenu } from "../data.ts";
import { FieldsForm } from "./fields-form.tsx";
import { Form } from "./form.tsx";
import { fieldsOfPart } from "./menu-fields.ts";

/** The text of a recording with an alias, which is in ivrctl.yaml, so every menu that plays it changes. */
function useSays({ alias, says: old = "", make }: Partial<CallRecording>, suggested = old) {
  const [says, setSays] = useState(suggested);
  const to = says.trim();
  const requests: EditRequest[] =
    alias === undefined || to === "" || to === old.trim()
      ? []
      : [{ do: "says", recording: alias, to }];
  const input = alias !== undefined && (
    <div class="wide">
      <label for="says">What the recording says</label>
      <textarea
        id="says"
        rows={4}
        dir="auto"
        value={says}
        onInput={({ currentTarget }) => setSays(currentTarget.value)}
      />
      <p class="soft">
        Every menu that plays it changes.{" "}
        {make ? "It will be made again by apply." : "Somebody has to record it again."}
      </p>
    </div>
  );
  return { requests, input };
}

interface SaysFormProps {
  readonly recording: CallRecording;
  readonly onClose: () => void;
}

/** What a recording says. */
export function SaysForm({ recording, onClose }: SaysFormProps) {
  const { requests, input } = useSays(recording);
  return (
    <Form
      label={`What ${recording.alias} says`}
      submit="Change"
      requests={() => requests}
      onClose={onClose}
    >
      <div class="fields">{input}</div>
    </Form>
  );
}

interface GreetingFormProps {
  readonly menu: PreviewMenu;
  /** A text that fits the keys. */
  readonly suggested: string | undefined;
  readonly onClose: () => void;
}

/** Which recording a menu plays first, and what that says. */
export function GreetingForm({ menu, suggested, onClose }: GreetingFormProps) {
  const { requests, input } = useSays(menu.call?.recording ?? {}, suggested);
  return (
    <FieldsForm
      label="What callers hear"
      menu={menu}
      paths={fieldsOfPart("prompt")}
      also={requests}
      onClose={onClose}
    >
      {input}
    </FieldsForm>
  );
}
