interface TextInputProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}

/** One line of text in a form. */
export function TextInput({ id, label, value, onInput }: TextInputProps) {
  return (
    <div>
      <label for={id}>{label}</label>
      <input
        id={id}
        dir="auto"
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  );
}
