import { useState } from "preact/hooks";
import { many } from "../../util/many.ts";
import type { Draft, EditAnswer } from "../../schema/edit-request.ts";
import { answers, walk } from "../../call/simulated-call.ts";
import type { Finding, PreviewMenu } from "../data.ts";
import { useEditor } from "./editor.ts";
import { wordsOf } from "./face.tsx";
import { Links, List } from "./parts.tsx";
import type { PageProject, Within } from "./view.ts";

/** What changed since the last commit, at the bottom of the page, until it is saved on a branch. */
export function Review({ project }: { readonly project: PageProject }) {
  const editor = useEditor();
  const [open, setOpen] = useState<"list" | "save">();
  const [saved, setSaved] = useState<EditAnswer>();
  const { changes, menus } = project.data;
  if (editor === undefined) return null;
  const { drafts = [], problem } = editor;
  const count = changes.reduce((sum, { lines }) => sum + lines.length, 0);
  const failed = menus.flatMap((menu) =>
    menu.findings.flatMap((finding) => (finding.kind === "failed" ? { menu, finding } : [])),
  );
  if (saved && drafts.length === 0) return <Saved {...saved} onClose={() => setSaved(undefined)} />;
  if (drafts.length === 0 && problem === undefined) return null;
  const words =
    changes.length === 0 ? "No change for callers" : `${many(count, "change")} for callers`;
  return (
    <aside class="review" aria-label="Changes">
      {problem && (
        <p class="refused" role="alert">
          {problem.refused} <code>{problem.place}</code>
        </p>
      )}
      {open === "list" && (
        <div class="review-list">
          <List look="changed" of={changes}>
            {({ keys, lines }) => (
              <>
                <Links menus={keys.flatMap((key) => project.pages.get(key) ?? [])} />
                <List look="reasons" of={lines} />
              </>
            )}
          </List>
          <List look="changed" of={failed}>
            {({ menu, finding }) => <Failed menu={menu} finding={finding} around={project} />}
          </List>
          <List look="changed" of={drafts}>
            {(draft) => <Yaml {...draft} />}
          </List>
        </div>
      )}
      {open === "save" && (
        <Save
          drafts={drafts}
          suggested={branchFor(project)}
          onClose={() => setOpen(undefined)}
          onSaved={setSaved}
        />
      )}
      {open !== "save" && (
        <div class="review-bar">
          <p role="status">
            <b>{words}</b>{" "}
            {failed.length > 0 ? (
              <span class="pill bad">
                {many(failed.length, "test")} fail{failed.length === 1 ? "s" : ""}
              </span>
            ) : (
              <span class="pill ok">all tests pass</span>
            )}{" "}
            <span class="about wide">written to your files, not committed</span>
          </p>
          <button type="button" class="quiet" disabled={!editor.canUndo} onClick={editor.undo}>
            Undo
          </button>
          <button
            type="button"
            class="quiet"
            aria-expanded={open === "list"}
            onClick={() => setOpen(open === "list" ? undefined : "list")}
          >
            {open === "list" ? "Close" : "Review"}
          </button>
          <button type="button" class="main" onClick={() => setOpen("save")}>
            Save as branch…
          </button>
        </div>
      )}
    </aside>
  );
}

/** A failed test, which can expect what happens now. */
function Failed({ menu, finding, around }: Within<{ menu: PreviewMenu; finding: Finding }>) {
  const editor = useEditor();
  const { call } = menu;
  const walked = call && walk(call, finding.press ?? [], around.menus);
  const reached = walked?.unused.length === 0 ? walked.state.destination : undefined;
  // A test whose call ends before its last key needs different keys.
  const now =
    reached && answers(reached) ? wordsOf({ destination: reached, around }).name : undefined;
  const [refused, setRefused] = useState<string>();
  const [, file = "", line = ""] = /^(.*):(\d+)$/.exec(finding.place) ?? [];
  const expect = async () => {
    const answer = await editor?.send({ do: "expect", menu: menu.key, file, line: Number(line) });
    setRefused(answer?.refused);
  };
  return (
    <div class="failed-test">
      <span>
        <span class="pill bad">test fails</span> {menu.name}: {finding.text}{" "}
        <code class="place">{finding.place}</code>
        {refused !== undefined && <span class="bad"> {refused}</span>}
      </span>
      {file.startsWith("ivrs/") && now !== undefined && (
        <button type="button" onClick={() => void expect()}>
          Expect {now}
        </button>
      )}
    </div>
  );
}

function Yaml({ file, isNew, lines }: Draft) {
  return (
    <details>
      <summary>
        <code>{file}</code> {isNew && <span class="pill ok">new</span>}
      </summary>
      <pre class="yaml" tabIndex={0}>
        {lines.map((line, at) => (
          <span key={at} class={line.startsWith("-") ? "minus" : "plus"}>
            {line}
            {"\n"}
          </span>
        ))}
      </pre>
    </details>
  );
}

interface SaveProps {
  readonly drafts: readonly Draft[];
  readonly suggested: string;
  readonly onClose: () => void;
  readonly onSaved: (answer: EditAnswer) => void;
}

function Save({ drafts, suggested, onClose, onSaved }: SaveProps) {
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
      <p class="about inset">
        Commits exactly {many(drafts.length, "file")}: {drafts.map(({ file }) => file).join(", ")}.
        Callers notice nothing until a pipeline applies them.
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

function Saved({ branch, isPushed, link, onClose }: EditAnswer & { readonly onClose: () => void }) {
  return (
    <aside class="review" aria-label="Changes">
      <div class="review-bar">
        <p role="status">
          <b>
            Saved on branch <code>{branch}</code>.
          </b>{" "}
          {isPushed && link !== undefined ? (
            <a href={link} target="_blank" rel="noreferrer">
              Open a pull request
            </a>
          ) : (
            <span>
              Next: <code>git push -u origin {branch}</code>
              {link !== undefined && ", then open a pull request."}
            </span>
          )}
        </p>
        <button type="button" class="quiet" onClick={onClose}>
          Done
        </button>
      </div>
    </aside>
  );
}

/** A name for the branch: that of the menu that changed. */
function branchFor({ data }: PageProject): string {
  const [first] = data.changes;
  const [key = "menus"] = first?.keys ?? [];
  return `change-${key.replaceAll("/", "-").toLowerCase()}`;
}
