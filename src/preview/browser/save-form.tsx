import { useState } from "preact/hooks";
import { many } from "../../util/many.ts";
import type { Draft, EditAnswer } from "../../schema/edit-request.ts";
import type { PreviewData } from "../data.ts";
import { Form } from "./form.tsx";
import { TextInput } from "./inputs.tsx";

interface SaveProps {
  readonly drafts: readonly Draft[];
  readonly data: PreviewData;
  /** What is wrong with the files: `1 test fails`. */
  readonly wrong: string | undefined;
  readonly onClose: () => void;
  readonly onSaved: (answer: EditAnswer) => void;
}

/** Saves the files on a new branch, and pushes it if asked to. */
export function SaveForm({ drafts, data, wrong, onClose, onSaved }: SaveProps) {
  const { changes, following } = data;
  const [branch, setBranch] = useState(branchFor(changes));
  const [title, setTitle] = useState(titleFor(changes));
  const [push, setPush] = useState(false);
  const message = [title, ...linesOf(changes), ...following.map((line) => `\n${line}`)]
    .join("\n")
    .trim();
  return (
    <Form
      label="Save as branch"
      submit="Save"
      refusal="Not saved."
      requests={() =>
        branch.trim() === "" || title.trim() === ""
          ? []
          : [{ do: "save", branch: branch.trim(), message, push }]
      }
      onClose={onClose}
      onDone={onSaved}
    >
      <div class="fields two">
        <TextInput id="title" label="What changes and why" value={title} onInput={setTitle} />
        <TextInput id="branch" label="Name of the new branch" value={branch} onInput={setBranch} />
      </div>
      <p class="soft inset">
        Saves exactly {many(drafts.length, "file")}: {drafts.map(({ file }) => file).join(", ")}.
        Callers notice nothing until this is merged and applied.
      </p>
      {wrong !== undefined && (
        <p class="bad inset">{wrong}, so the check of a pull request fails, too.</p>
      )}
      <label class="inset check">
        <input
          type="checkbox"
          checked={push}
          onChange={({ currentTarget }) => setPush(currentTarget.checked)}
        />
        Push the branch, so that I can open a pull request
      </label>
    </Form>
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
