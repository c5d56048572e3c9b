import { useState } from "preact/hooks";
import { many } from "../../util/many.ts";
import type { Draft, EditAnswer } from "../../schema/edit-request.ts";
import type { PreviewData } from "../data.ts";
import { useEditor } from "./editor.ts";
import { TextInput } from "./text-input.tsx";

interface SaveProps {
  readonly drafts: readonly Draft[];
  readonly changes: PreviewData["changes"];
  readonly onClose: () => void;
  readonly onSaved: (answer: EditAnswer) => void;
}

/** Saves the files on a new branch, and pushes it if asked to. */
export function SaveForm({ drafts, changes, onClose, onSaved }: SaveProps) {
  const editor = useEditor();
  const [branch, setBranch] = useState(branchFor(changes));
  const [title, setTitle] = useState(titleFor(changes));
  const [push, setPush] = useState(false);
  const [refused, setRefused] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    const message = [title, ...linesOf(changes)].join("\n").trim();
    const answer = await editor?.send({ do: "save", branch, message, push });
    setBusy(false);
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
        if (!isBusy) void save();
      }}
    >
      <div class="fields two">
        <TextInput id="branch" label="New branch" value={branch} onInput={setBranch} />
        <TextInput id="title" label="What changes and why" value={title} onInput={setTitle} />
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
        <button type="submit" class="main" aria-busy={isBusy}>
          {isBusy ? "Saving…" : "Save"}
        </button>
      </div>
    </form>
  );
}

/** A name for the branch: that of the menu that changed, or `7-towns`. */
function branchFor([first]: PreviewData["changes"]): string {
  const [key = "menus", ...others] = first?.keys ?? [];
  const name = others.length > 0 ? (first?.subject ?? "") : key;
  const word = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return `change-${word.replaceAll(/^-|-$/g, "") || "menus"}`;
}

/** The first change in callers' words: `Main menu, key 3 (Billing): Ravi Kumar → Latha Iyer`. */
function titleFor([first, ...more]: PreviewData["changes"]): string {
  const [line, ...others] = first?.lines ?? [];
  if (first === undefined || line === undefined) return "Change phone menus";
  const isOne = more.length + others.length === 0;
  return `${first.subject}, ${line}${isOne ? "" : " and more"}`;
}

/** All changes in callers' words, below the title of the commit. */
function linesOf(changes: PreviewData["changes"]): string[] {
  const all = changes.flatMap(({ subject, lines }) => lines.map((line) => `- ${subject}: ${line}`));
  return all.length < 2 ? [] : ["", ...all.slice(0, 100)];
}
