import type { CallRecording } from "../../model/call-menu.ts";
import type { PreviewMenu } from "../data.ts";
import { HearIt } from "./hear-it.tsx";
import { List, Pill, Step, Words } from "./parts.tsx";
import { SaysForm } from "./says-form.tsx";
import type { Within } from "./view.ts";

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
export function Greeting(props: Within<GreetingProps>) {
  const { menu, recording, was, isOpen, edit, onClose, around } = props;
  const { alias, id, seconds } = recording;
  const before = around.again.get(id);
  const warnings = menu.findings.flatMap(({ title, text }) =>
    title?.includes("prompt-") ? text : [],
  );
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
        {edit && alias !== undefined && (
          <button type="button" class="pen" data-row="says" aria-expanded={isOpen} onClick={edit}>
            Edit<span class="unseen"> what callers hear</span>
          </button>
        )}
      </div>
      {warnings.length > 0 && <List look="warnings" of={warnings} />}
      {isOpen && <SaysForm menu={menu} onClose={onClose} around={around} />}
    </Step>
  );
}
