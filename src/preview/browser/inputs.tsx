import { Button } from "./parts.tsx";

interface InputProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}

/** One line of text in a form. */
export function TextInput(props: InputProps & { readonly inputMode?: "text" | "numeric" }) {
  const { id, label, value, onInput, inputMode = "text" } = props;
  return (
    <div>
      <label for={id}>{label}</label>
      <input
        id={id}
        dir="auto"
        autocomplete="off"
        inputMode={inputMode}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  );
}

/** One of several values, each with its words. */
export function SelectInput({
  id,
  label,
  value,
  onInput,
  options,
}: InputProps & { readonly options: readonly (readonly [value: string, words: string])[] }) {
  return (
    <div>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

interface PenProps {
  /** The name of the row, which has the focus again when its form is closed. */
  readonly row: string;
  /** What screen readers say that it edits. */
  readonly what: string;
  readonly isOpen: boolean;
  readonly onClick: () => void;
}

/** A button that opens the form of a row. */
export function Pen({ row, what, isOpen, onClick }: PenProps) {
  const words = (
    <>
      Edit<span class="unseen"> {what}</span>
    </>
  );
  return <Button look="pen" data-row={row} isOpen={isOpen} onClick={onClick} words={words} />;
}
