import { useState } from "preact/hooks";
import { many } from "../../util/many.ts";
import type { EditAnswer } from "../../schema/edit-request.ts";
import { countOfChanges } from "./changes.tsx";
import { useEditor } from "./editor.ts";
import { Button, Pill } from "./parts.tsx";
import { problemsOf } from "./problems.tsx";
import type { PageProject } from "./view.ts";
import { Refused } from "./refused.tsx";
import { SaveForm } from "./save-form.tsx";
import { useProject } from "./project.ts";

/** What is not committed, at the bottom of every page until it is saved on a branch. */
export function ReviewBar() {
  const editor = useEditor();
  const project = useProject();
  const [isSaving, setSaving] = useState(false);
  const [saved, setSaved] = useState<EditAnswer>();
  if (editor === undefined) return null;
  const { drafts = [], hasGit, problem } = editor;
  if (saved && drafts.length === 0) {
    return <Saved {...saved} onClose={() => setSaved(undefined)} />;
  }
  if (drafts.length === 0 && problem === undefined) return null;
  const count = countOfChanges(project.data);
  const wrong = wrongIn(project);
  return (
    <aside class="review" aria-label="Not committed">
      {problem && <Refused answer={problem} />}
      {isSaving ? (
        <SaveForm
          drafts={drafts}
          data={project.data}
          wrong={wrong}
          onClose={() => {
            setSaving(false);
            setTimeout(() => document.querySelector<HTMLElement>(".review .main")?.focus());
          }}
          onSaved={(answer) => {
            setSaving(false);
            setSaved(answer);
          }}
        />
      ) : (
        <div class="review-bar">
          <p role="status">
            <b>{count === 0 ? "No change for callers" : many(count, "change")}</b>{" "}
            <Pill look={wrong === undefined ? "good" : "bad"}>{wrong ?? "all tests pass"}</Pill>{" "}
            <small>
              {hasGit
                ? "Callers notice nothing until this is merged and applied."
                : "Callers notice nothing until this is applied. This folder has no git repository, so nobody can review it here."}
            </small>
          </p>
          <Button words="Undo" aria-disabled={!editor.canUndo} onClick={editor.undo} />
          <a class="button quiet" href="#changes">
            Review
          </a>
          {hasGit && <Button look="main" words="Save as branch…" onClick={() => setSaving(true)} />}
        </div>
      )}
    </aside>
  );
}

/** Why the check of a pull request would fail: `1 error`, or `2 tests fail`. */
function wrongIn(project: PageProject): string | undefined {
  const count = (wanted: string) =>
    problemsOf(project).filter(({ kind }) => kind === wanted).length;
  const [errors, failed] = [count("error"), count("failed")];
  if (errors > 0) return many(errors, "error");
  return failed === 0 ? undefined : failed === 1 ? "1 test fails" : `${failed} tests fail`;
}

type SavedProps = EditAnswer & { readonly onClose: () => void };

function Saved({ branch, isPushed, notPushed, link, onClose }: SavedProps) {
  return (
    <aside class="review" aria-label="Saved">
      <div class="review-bar">
        <p role="status">
          <b>
            Saved on branch <code>{branch}</code>.
          </b>{" "}
          {!isPushed && (
            <span>
              {notPushed === undefined ? "" : `It is not pushed: ${notPushed} `}Next:{" "}
              <code>git push -u origin {branch}</code>, then open a pull request.
            </span>
          )}
          {isPushed && link === undefined && <span>It is pushed. Open a pull request for it.</span>}
          {isPushed && link !== undefined && (
            <a href={link} target="_blank" rel="noreferrer">
              Open a pull request
            </a>
          )}
          <small>Callers notice nothing until it is merged and applied.</small>
        </p>
        <Button words="Done" onClick={onClose} />
      </div>
    </aside>
  );
}
