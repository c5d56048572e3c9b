import { useState } from "preact/hooks";
import type { CallRecording } from "../../model/call-menu.ts";
import type { PreviewMenu } from "../data.ts";
import { useEditor } from "./editor.ts";
import { HearIt } from "./hear-it.tsx";
import { Pen } from "./inputs.tsx";
import { Button, List, Pill, Step, Words } from "./parts.tsx";
import { GreetingForm } from "./says-form.tsx";
import { useProject } from "./project.ts";

interface GreetingProps {
  readonly menu: PreviewMenu;
  readonly recording: CallRecording;
  /** The recording before a change. */
  readonly was: CallRecording | undefined;
  readonly isOpen: boolean;
  readonly edit: (() => void) | undefined;
  readonly onClose: () => void;
}

/** What callers hear first. */
export function Greeting({ menu, recording, was, isOpen, edit, onClose }: GreetingProps) {
  const editor = useEditor();
  const suggested = edit && editor?.greetings?.[menu.key];
  const [isSuggested, setSuggested] = useState(false);
  const { alias, id, seconds } = recording;
  const before = useProject().again.get(id);
  const warnings = menu.findings.flatMap(({ title, text }) =>
    title?.includes("prompt-") ? text : [],
  );
  const open = (withSuggestion: boolean) => {
    setSuggested(withSuggestion);
    edit?.();
  };
  const note = [alias ?? id, seconds === undefined ? [] : `${seconds} s`].flat().join(" · ");
  return (
    <Step heading="Callers hear" note={note}>
      <div class="say">
        <HearIt heard={[recording]} />
        <p>
          {was && (
            <s class="was">
              <Words recording={was} />
            </s>
          )}
          <Words recording={recording} />
        </p>
        {before !== undefined && <Pill look="warn">record again</Pill>}
        {edit && (
          <Pen row="says" what="what callers hear" isOpen={isOpen} onClick={() => open(false)} />
        )}
      </div>
      {warnings.length > 0 && (
        <div class="warnings">
          <List look="" of={warnings} />
          {suggested !== undefined && !isOpen && (
            <Button look="plain" onClick={() => open(true)} words="Correct the text" />
          )}
        </div>
      )}
      {isOpen && (
        <GreetingForm
          menu={menu}
          suggested={isSuggested ? suggested : undefined}
          onClose={onClose}
        />
      )}
    </Step>
  );
}
