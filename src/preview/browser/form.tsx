import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EditAnswer, EditRequest } from "../../schema/edit-request.ts";
import { useEditor } from "./editor.ts";
import { Refused } from "./refused.tsx";

interface FormProps {
  readonly label: string;
  readonly submit: string;
  readonly isReady?: boolean;
  /** The requests, which are sent one after the other until one is refused. */
  readonly requests: () => readonly EditRequest[];
  readonly onClose: () => void;
  /** Default: `onClose`. */
  readonly onDone?: ((answer: EditAnswer) => void) | undefined;
  /** What a refusal begins with. */
  readonly refusal?: string;
  readonly remove?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form in place of what it changes. It says what was refused and why. */
export function Form({
  label,
  submit,
  isReady = true,
  requests,
  onClose,
  onDone = onClose,
  refusal,
  remove,
  children,
}: FormProps) {
  const editor = useEditor();
  const [refused, setRefused] = useState<EditAnswer>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The bar at the bottom must not hide what was opened.
    form.current?.scrollIntoView({ block: "nearest" });
    // What opened it may be gone.
    if (document.activeElement === document.body) form.current?.querySelector("input")?.focus();
  }, []);
  const send = async () => {
    setBusy(true);
    let answer: EditAnswer = {};
    for (const request of requests()) {
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
      {children}
      {refused && <Refused answer={refused} what={refusal} />}
      <div class="form-end">
        {remove}
        <span class="gap" />
        <button type="button" class="quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="main" disabled={!isReady} aria-busy={isBusy}>
          {isBusy ? "Saving…" : submit}
        </button>
      </div>
    </form>
  );
}
