import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useEditor } from "./editor.ts";
import { Button, Item, type ItemProps } from "./parts.tsx";

interface EditableItemProps extends ItemProps {
  /** What the button that opens the form says, also for screen readers. */
  readonly words: string;
  readonly label: string;
  /** Undefined if nobody can edit it. */
  readonly form: ((close: () => void) => ComponentChildren) | undefined;
  /** What is beside the line. */
  readonly beside?: ComponentChildren;
}

/** One quiet line with more about it on click, and a form below it. */
export function EditableItem({ words, label, form, beside, ...item }: EditableItemProps) {
  const editor = useEditor();
  const [isEdited, setEdited] = useState(false);
  return (
    <div class="problem">
      <Item {...item} />
      {beside}
      {editor && form && (
        <Button
          words={words}
          aria-label={label}
          isOpen={isEdited}
          onClick={() => setEdited(!isEdited)}
        />
      )}
      {isEdited && form?.(() => setEdited(false))}
    </div>
  );
}
