import { useState } from "preact/hooks";
import type { CallRecording } from "../../model/call-menu.ts";
import { Form } from "./form.tsx";

interface SaysFormProps {
  readonly recording: CallRecording;
  readonly onClose: () => void;
}

/** What a recording says. The text is in ivrctl.yaml, so every menu that plays it changes. */
export function SaysForm({ recording, onClose }: SaysFormProps) {
  const { alias = "" } = recording;
  const [says, setSays] = useState(recording.says ?? "");
  return (
    <Form
      label={`What ${alias} says`}
      submit="Change"
      isReady={says.trim() !== "" && says !== recording.says}
      requests={() => [{ do: "says", recording: alias, to: says.trim() }]}
      onClose={onClose}
    >
      <div class="fields">
        <SaysInput says={says} onInput={setSays} />
      </div>
    </Form>
  );
}

interface SaysInputProps {
  readonly says: string;
  readonly onInput: (text: string) => void;
}

export function SaysInput({ says, onInput }: SaysInputProps) {
  return (
    <div class="wide">
      <label for="says">What the recording says</label>
      <textarea
        id="says"
        rows={4}
        dir="auto"
        value={says}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <p class="soft">Every menu that plays it changes. Somebody has to record it again.</p>
    </div>
  );
}
