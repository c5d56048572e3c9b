import { useState } from "preact/hooks";
import type { PreviewMenu } from "../data.ts";
import { Form } from "./form.tsx";
import type { Within } from "./view.ts";

/** What a recording says. The text is in ivrctl.yaml, so every menu that plays it changes. */
export function SaysForm({
  menu,
  onClose,
  around,
}: Within<{ menu: PreviewMenu; onClose: () => void }>) {
  const recording = menu.call?.recording;
  const [says, setSays] = useState(recording?.says ?? "");
  const users = around.current.filter(({ call }) => call?.recording.id === recording?.id);
  return (
    <Form
      label="What callers hear"
      submit="Change"
      isReady={says.trim() !== "" && says !== recording?.says}
      requests={() => [{ do: "says", recording: recording?.alias ?? "", to: says.trim() }]}
      onClose={onClose}
    >
      <div class="fields one">
        <div>
          <label for="says">What the recording says</label>
          <textarea
            id="says"
            rows={5}
            dir="auto"
            value={says}
            onInput={({ currentTarget }) => setSays(currentTarget.value)}
          />
          <p class="about">
            Somebody has to record it again. {users.length > 1 && `${users.length} menus play it.`}
          </p>
        </div>
      </div>
    </Form>
  );
}
