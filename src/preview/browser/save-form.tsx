import { useState } from "preact/hooks";
import { many } from "../../util/many.ts";
import type { Draft, EditAnswer } from "../../schema/edit-request.ts";
import { useEditor } from "./editor.ts";

interface SaveProps {
  readonly drafts: readonly Draft[];
  /** The name of the branch, until the person writes another. */
  readonly suggested: string;
  readonly onClose: () => void;
  readonly onSaved: (answer: EditAnswer) => void;
}

/** Saves the files on a new branch, and pushes it if asked to. */
export function SaveForm({ drafts, suggested, onClose, onSaved }: SaveProps) {
  const editor = useEditor();
  const [branch, setBranch] = useState(suggested);
  const [message, setMessage] = useState("Change phone menus");
  const [push, setPush] = useState(false);
  const [refused, setRefused] = useState<string>();
  const save = async () => {
    const answer = await editor?.send({ do: "save", branch, message, push });
    if (answer?.refused !== undefined) return setRefused(answer.refused);
    onSaved(answer ?? {});
    onClose();
  };
  return (
    <form
      class="form save-form"
      aria-label="Save as branch"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="fields two">
        <div>
          <label for="branch">New branch</label>
          <input
            id="branch"
            value={branch}
            autocomplete="off"
            onInput={({ currentTarget }) => setBranch(currentTarget.value)}
          />
        </div>
        <div>
          <label for="message">What changes and why</label>
          <input
            id="message"
            value={message}
            onInput={({ currentTarget }) => setMessage(currentTarget.value)}
          />
        </div>
      </div>
      <p class="soft inset">
        Commits exactly {many(drafts.length, "file")}: {drafts.map(({ file }) => file).join(", ")}.
        Callers notice nothing until this is merged and applied.
      </p>
      <label class="inset check">
        <input
          type="checkbox"
          checked={push}
          onChange={({ currentTarget }) => setPush(currentTarget.checked)}
        />
        Push the branch, so that I can open a pull request
      </label>
      {refused !== undefined && (
        <p class="refused" role="alert">
          <b>Not saved.</b> {refused}
        </p>
      )}
      <div class="form-end">
        <span class="gap" />
        <button type="button" class="quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="main">
          Save
        </button>
      </div>
    </form>
  );
}
