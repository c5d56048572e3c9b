import type { RenderableProps } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EditAnswer, EditRequest } from "../../schema/edit-request.ts";
import { useEditor } from "./editor.ts";
import { Button } from "./parts.tsx";
import { Refused } from "./refused.tsx";
import { type Scope, ScopeChoice, type Sharing } from "./scope-choice.tsx";

type Requests = (where: Scope) => readonly EditRequest[];

export interface Removal {
  /** `Remove key 3` */
  readonly words: string;
  readonly about?: string;
  readonly requests: Requests;
  readonly onDone?: () => void;
}

type FormProps = RenderableProps<{
  readonly label: string;
  readonly submit: string;
  /** They are sent one after the other until one is refused. None if something is missing. */
  readonly requests: Requests;
  readonly onClose: () => void;
  /** Default: `onClose`. */
  readonly onDone?: ((answer: EditAnswer) => void) | undefined;
  /** What a refusal begins with. */
  readonly refusal?: string;
  /** What can be removed instead. */
  readonly removal?: Removal | undefined;
  readonly sharing?: Sharing;
}>;

/** A form in place of what it changes. It says what was refused and why. */
export function Form({ label, submit, onClose, removal, sharing, refusal, ...props }: FormProps) {
  const editor = useEditor();
  const [refused, setRefused] = useState<EditAnswer>();
  const [isBusy, setBusy] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const [scope, setScope] = useState<Scope>("here");
  const form = useRef<HTMLFormElement>(null);
  const { requests, onDone = onClose } = (isRemoving && removal) || props;
  const wanted = requests(scope);
  const isReady = wanted.length > 0;
  // The bar at the bottom must not hide what was opened, or what is asked then.
  useEffect(() => form.current?.scrollIntoView({ block: "nearest" }), [isReady]);
  useEffect(() => {
    // What opened it may be gone.
    if (document.activeElement === document.body) form.current?.querySelector("input")?.focus();
  }, []);
  const send = async () => {
    setBusy(true);
    let answer: EditAnswer = {};
    for (const request of wanted) {
      answer = (await editor?.send(request)) ?? {};
      if (answer.refused === undefined) continue;
      setRefused(answer);
      return setBusy(false);
    }
    onDone(answer);
  };
  return (
    <form
      ref={form}
      class="form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isBusy) void send();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      {isRemoving ? removal?.about && <p class="inset">{removal.about}</p> : props.children}
      {sharing && isReady && <ScopeChoice {...sharing} scope={scope} onChange={setScope} />}
      {refused && <Refused answer={refused} what={refusal} />}
      <div class="form-end">
        {removal && (
          <Button
            words={isRemoving ? "Keep it" : removal.words}
            look={isRemoving ? "quiet" : "quiet remove"}
            onClick={() => setRemoving(!isRemoving)}
          />
        )}
        <span class="gap" />
        <Button words="Cancel" onClick={onClose} />
        <button type="submit" class="main" disabled={!isReady} aria-busy={isBusy}>
          {isBusy ? "Saving…" : isRemoving ? removal?.words : submit}
        </button>
      </div>
    </form>
  );
}
