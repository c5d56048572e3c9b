import { many } from "../../util/many.ts";
import type { Draft } from "../../schema/edit-request.ts";
import { useEditor } from "./editor.ts";
import { Item, Items, Links, List, Pill } from "./parts.tsx";
import { Problem } from "./problem.tsx";
import { problemsOf } from "./problems.tsx";
import { recordingsOf } from "./recordings.tsx";
import { useProject } from "./project.ts";
import type { PageProject } from "./view.ts";
import { YamlLines } from "./refused.tsx";

/** What changes for callers, which tests fail then, and what must be recorded again. */
export function Changes() {
  const editor = useEditor();
  const project = useProject();
  const { changes, following } = project.data;
  const failed = problemsOf(project).filter(({ kind }) => kind === "failed");
  const again = recordingsOf(project).filter(({ recording }) => project.again.has(recording.id));
  const drafts = editor?.drafts ?? [];
  return (
    <>
      {changes.length === 0 ? (
        <p class="soft">Nothing changes for callers.</p>
      ) : (
        <Items of={changes}>{(change) => <Change {...change} />}</Items>
      )}
      <List look="soft following" of={following} />
      {failed.length > 0 && <Items of={failed}>{(finding) => <Problem finding={finding} />}</Items>}
      {again.length > 0 && (
        <p>
          <a href="#recordings">{many(again.length, "recording")}</a> must be recorded again.
        </p>
      )}
      {drafts.length > 0 && <Items of={drafts}>{(draft) => <Yaml {...draft} />}</Items>}
    </>
  );
}

function Change({ subject, keys, lines }: PageProject["data"]["changes"][number]) {
  const { pages } = useProject();
  const menus = keys.flatMap((key) => pages.get(key) ?? []);
  return (
    <div class="change">
      {menus.length === 1 ? (
        <Links menus={menus} />
      ) : (
        <Item line={<b>{subject}</b>}>
          <Links menus={menus} />
        </Item>
      )}
      <List look="lines" of={lines}>
        {(line) => <ChangeLine text={line} />}
      </List>
    </div>
  );
}

/** How many changes there are, one for each line. */
export function countOfChanges({ changes }: PageProject["data"]): number {
  return changes.reduce((sum, { lines }) => sum + lines.length, 0);
}

/** A line in which what callers get now has the weight, and what they got before is small. */
function ChangeLine({ text }: { readonly text: string }) {
  const [, what, before, now, mark] =
    /^(.*?: )(.*) → (.*?)( \(differs from [^)]*\))?$/s.exec(text) ?? [];
  if (now === undefined) return text;
  return (
    <>
      {what}
      <s class="was">{before}</s> → <b>{now}</b>
      <small>{mark}</small>
    </>
  );
}

function Yaml({ file, isNew, lines }: Draft) {
  const line = (
    <>
      <code>{file}</code> {isNew && <Pill look="good">new</Pill>}
    </>
  );
  return (
    <Item line={line}>
      <YamlLines lines={lines} />
    </Item>
  );
}
