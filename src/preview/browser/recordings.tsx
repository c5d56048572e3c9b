import { useState } from "preact/hooks";
import { type Scripted, recordingScript } from "../../call/recordings.ts";
import { recordingName } from "../../model/field-words.ts";
import { listed, many } from "../../util/many.ts";
import { EditableItem } from "./editable-item.tsx";
import { HearIt } from "./hear-it.tsx";
import { Button, Items, List, Pill, Words } from "./parts.tsx";
import { SaysForm } from "./says-form.tsx";
import { useProject } from "./project.ts";
import type { PageProject } from "./view.ts";

/** What each recording says. What must be recorded again can be shown alone, and printed. */
export function Recordings() {
  const project = useProject();
  const [isAgain, setAgain] = useState(false);
  const all = recordingsOf(project);
  const again = all.filter(({ recording }) => project.again.has(recording.id));
  return (
    <>
      {again.length > 0 && (
        <p class="bar">
          <Button
            look="plain"
            aria-pressed={isAgain}
            onClick={() => setAgain(!isAgain)}
            words={`Only what must be recorded again: ${again.length}`}
          />{" "}
          <Button
            look="plain"
            onClick={() => print()}
            words={`Print ${isAgain ? "this list" : many(all.length, "recording")}`}
          />
        </p>
      )}
      <Items of={isAgain ? again : all}>{(one) => <Recorded one={one} isOpen={isAgain} />}</Items>
    </>
  );
}

export function recordingsOf({ menus }: Pick<PageProject, "menus">): Scripted[] {
  return recordingScript([...menus.values()].flatMap((menu) => menu ?? []));
}

function Recorded({ one, isOpen }: { readonly one: Scripted; readonly isOpen: boolean }) {
  const { recording, places } = one;
  const { alias, id, seconds, language } = recording;
  const before = useProject().again.get(id);
  const line = (
    <>
      <b class="short">{alias ?? id}</b>
      <span class="says">
        <Words recording={recording} />
      </span>{" "}
      {before !== undefined && <Pill look="warn">record again</Pill>}{" "}
      <small>{seconds === undefined ? "" : `${seconds} s`}</small>
    </>
  );
  const form = (close: () => void) => <SaysForm recording={recording} onClose={close} />;
  return (
    <EditableItem
      key={String(isOpen)}
      line={line}
      isOpen={isOpen}
      look="recording"
      words="Edit"
      label={`Edit ${alias}`}
      form={alias === undefined ? undefined : form}
      beside={<HearIt heard={[recording]} />}
    >
      {before !== undefined && (
        <p>
          Until it is recorded again, callers hear: <s>{before}</s>
        </p>
      )}
      <List look="soft" of={places}>
        {({ when, menus }) => `${when}: ${listed(menus, 5)}`}
      </List>
      <p class="soft">
        {recordingName(recording)} {language}
      </p>
    </EditableItem>
  );
}
