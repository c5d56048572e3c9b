import { useState } from "preact/hooks";
import { type Scripted, recordingScript } from "../../call/recordings.ts";
import { recordingName } from "../../model/field-words.ts";
import { listed, many } from "../../util/many.ts";
import { type PageEditor, useEditor } from "./editor.ts";
import { HearIt } from "./hear-it.tsx";
import { Item, List, Pill, Words } from "./parts.tsx";
import { SaysForm } from "./says-form.tsx";
import type { PageProject, Within } from "./view.ts";

/** What each recording says. What must be recorded again can be shown alone, and printed. */
export function Recordings({ project }: { readonly project: PageProject }) {
  const [isAgain, setAgain] = useState(false);
  const all = recordingsOf(project);
  const again = all.filter(({ recording }) => project.again.has(recording.id));
  return (
    <>
      {again.length > 0 && (
        <p class="bar">
          <button
            type="button"
            class="plain"
            aria-pressed={isAgain}
            onClick={() => setAgain(!isAgain)}
          >
            Only what must be recorded again: {again.length}
          </button>{" "}
          <button type="button" class="plain" onClick={() => print()}>
            Print {isAgain ? "this list" : many(all.length, "recording")}
          </button>
        </p>
      )}
      <div class="card">
        <List look="items" of={isAgain ? again : all}>
          {(one) => <Recorded one={one} isOpen={isAgain} around={project} />}
        </List>
      </div>
    </>
  );
}

export function recordingsOf({ menus }: Pick<PageProject, "menus">): Scripted[] {
  return recordingScript([...menus.values()].flatMap((menu) => menu ?? []));
}

/** The recordings with an alias: those that the project names or, without an editor, those that callers hear. */
export function aliasesOf(project: PageProject, editor: PageEditor | undefined) {
  const heard = recordingsOf(project).map(({ recording }) => recording);
  return editor?.recordings ?? heard.flatMap(({ alias, says }) => (alias ? { alias, says } : []));
}

function Recorded({ one, isOpen, around }: Within<{ one: Scripted; isOpen: boolean }>) {
  const { recording, places } = one;
  const before = around.again.get(recording.id);
  const editor = useEditor();
  const [isEdited, setEdited] = useState(false);
  const line = (
    <>
      <b class="short">{recording.alias ?? recording.id}</b>
      <span class="says">
        <Words recording={recording} />
      </span>{" "}
      {before !== undefined && <Pill look="warn">record again</Pill>}{" "}
      <small>{recording.seconds === undefined ? "" : `${recording.seconds} s`}</small>
    </>
  );
  return (
    <div class="problem">
      <Item key={String(isOpen)} line={line} isOpen={isOpen} look="recording">
        {before !== undefined && (
          <p>
            Until it is recorded again, callers hear: <s>{before}</s>
          </p>
        )}
        <List look="soft" of={places}>
          {({ when, menus }) => `${when}: ${listed(menus, 5)}`}
        </List>
        <p class="soft">
          {recordingName(recording)} {recording.language}
        </p>
      </Item>
      <HearIt heard={[recording]} />
      {editor && recording.alias !== undefined && (
        <button
          type="button"
          class="quiet"
          aria-label={`Edit ${recording.alias}`}
          aria-expanded={isEdited}
          onClick={() => setEdited(!isEdited)}
        >
          Edit
        </button>
      )}
      {isEdited && <SaysForm recording={recording} onClose={() => setEdited(false)} />}
    </div>
  );
}
