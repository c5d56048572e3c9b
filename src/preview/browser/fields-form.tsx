import type { RenderableProps } from "preact";
import { useState } from "preact/hooks";
import type { CallMenu } from "../../model/call-menu.ts";
import type { EditRequest } from "../../schema/edit-request.ts";
import { type Field, type FieldPath, fields, rows } from "../../schema/fields.ts";
import type { WantedField } from "../../schema/intent.ts";
import type { PreviewMenu } from "../data.ts";
import type { Chosen } from "./choose.tsx";
import { DestinationField } from "./destination-field.tsx";
import { useEditor } from "./editor.ts";
import { Form, type Removal } from "./form.tsx";
import { SelectInput, TextInput } from "./inputs.tsx";
import { destinationOf, labelOf, textOf } from "./menu-fields.ts";

/** What a person wrote or chose, by the path of the field. */
type Written = Readonly<Partial<Record<FieldPath, string | Chosen>>>;

type FieldsFormProps = RenderableProps<{
  readonly label: string;
  readonly menu: PreviewMenu;
  readonly paths: readonly FieldPath[];
  readonly onClose: () => void;
  readonly onDone?: () => void;
  /** Other requests of the same form, which are sent after the fields. */
  readonly also?: readonly EditRequest[];
  readonly otherFields?: readonly WantedField[];
  readonly removal?: Removal;
}>;

/** A form with an input for each of these fields. Only what changed is sent. */
export function FieldsForm(props: FieldsFormProps) {
  const { menu, paths, also = [], otherFields = [], children, ...others } = props;
  const editor = useEditor();
  const [written, setWritten] = useState<Written>({});
  const { call } = menu;
  if (call === undefined) return null;
  const changed = [...wantedFields(call, written), ...otherFields];
  const shares = editor?.shared?.[menu.key];
  const [shared] = changed.flatMap(({ path }) => shares?.[path] ?? []);
  const input = (path: FieldPath) => {
    const set = (value: string | Chosen) => setWritten({ ...written, [path]: value });
    return <FieldInput key={path} path={path} menu={menu} written={written[path]} onChange={set} />;
  };
  const isPlace = (path: FieldPath) => fields[path].is === "destination";
  return (
    <Form
      {...others}
      submit="Change"
      requests={(where) => [
        ...(changed.length > 0
          ? [{ do: "set" as const, menu: menu.key, where, fields: changed }]
          : []),
        ...also,
      ]}
      sharing={{ menu, shared, what: "this" }}
    >
      <div class="fields two">
        {paths.filter((path) => !isPlace(path)).map(input)}
        {children}
      </div>
      {paths.filter(isPlace).map(input)}
    </Form>
  );
}

interface InputProps {
  readonly path: FieldPath;
  readonly menu: PreviewMenu;
  readonly written: string | Chosen | undefined;
  readonly onChange: (value: string | Chosen) => void;
}

function FieldInput({ path, menu, written, onChange }: InputProps) {
  const field: Field = fields[path];
  const editor = useEditor();
  const { call } = menu;
  if (call === undefined) return null;
  const old = textOf(call, path);
  const text = typeof written === "string" ? written : old;
  const label = labelOf(path);
  if (field.is === "destination") {
    return (
      <DestinationField
        label={label}
        menu={menu.key}
        was={destinationOf(call, path)}
        chosen={typeof written === "object" ? written : undefined}
        onChoose={onChange}
      />
    );
  }
  const input = { id: path, label, value: text, onInput: onChange };
  if (field.is !== "recording")
    return <TextInput {...input} inputMode={field.is === "text" ? "text" : "numeric"} />;
  const known = (editor?.recordings ?? []).map(({ alias, says }) => {
    const words = says === undefined ? alias : `${alias}: ${says}`;
    return [alias, words] as const;
  });
  const isKnown = known.some(([alias]) => alias === old);
  return <SelectInput {...input} options={isKnown ? known : [[old, old], ...known]} />;
}

/** The changed fields as an intent names them. Nothing at all means that the default counts again. */
function wantedFields(call: CallMenu, written: Written): WantedField[] {
  return rows.flatMap(([path]) => {
    const value = written[path];
    if (value === undefined) return [];
    if (typeof value === "object") return field(path, value.to);
    const text = value.trim();
    return text === textOf(call, path) ? [] : field(path, text === "" ? null : text);
  });
}

function field(path: FieldPath, to: unknown): WantedField {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the input of a row gives a value of its kind
  return { path, to } as WantedField;
}
