import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { CallMenu } from "../../model/call-menu.ts";
import type { EditRequest } from "../../schema/edit-request.ts";
import { type Field, type FieldPath, fields, rows } from "../../schema/fields.ts";
import type { WantedField } from "../../schema/intent.ts";
import type { PreviewMenu } from "../data.ts";
import type { Chosen } from "./choose.tsx";
import { DestinationField } from "./destination-field.tsx";
import { type PageEditor, useEditor } from "./editor.ts";
import { Form } from "./form.tsx";
import { SelectInput, TextInput } from "./inputs.tsx";
import { destinationOf, labelOf, textOf } from "./menu-fields.ts";
import { type Scope, ScopeChoice } from "./scope-choice.tsx";
import { aliasesOf } from "./recordings.tsx";
import type { PageProject, Within } from "./view.ts";

/** What a person wrote or chose, by the path of the field. */
type Written = Readonly<Partial<Record<FieldPath, string | Chosen>>>;

interface FieldsFormProps {
  readonly label: string;
  readonly menu: PreviewMenu;
  readonly paths: readonly FieldPath[];
  readonly onClose: () => void;
  readonly onDone?: () => void;
  /** Other requests of the same form, which are sent after the fields. */
  readonly also?: readonly EditRequest[];
  readonly otherFields?: readonly WantedField[];
  readonly remove?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A form with an input for each of these fields. Only what changed is sent. */
export function FieldsForm(props: Within<FieldsFormProps>) {
  const { label, menu, paths, onClose, onDone, also = [], otherFields = [] } = props;
  const { remove, children, around } = props;
  const editor = useEditor();
  const [written, setWritten] = useState<Written>({});
  const [scope, setScope] = useState<Scope>("here");
  const { call } = menu;
  if (call === undefined) return null;
  const changed = [...wantedFields(call, written), ...otherFields];
  const shares = editor?.shared?.[menu.key];
  const shared = changed.flatMap(({ path }) => shares?.[path] ?? [])[0];
  const input = (path: FieldPath) => {
    const set = (value: string | Chosen) => setWritten({ ...written, [path]: value });
    return (
      <FieldInput
        key={path}
        path={path}
        menu={menu}
        written={written[path]}
        onChange={set}
        around={around}
      />
    );
  };
  const isPlace = (path: FieldPath) => fields[path].is === "destination";
  return (
    <Form
      label={label}
      submit="Change"
      isReady={changed.length + also.length > 0}
      requests={() => [
        ...(changed.length > 0
          ? [{ do: "set" as const, menu: menu.key, where: scope, fields: changed }]
          : []),
        ...also,
      ]}
      onClose={onClose}
      onDone={onDone}
      remove={remove}
    >
      <div class="fields two">
        {paths.filter((path) => !isPlace(path)).map(input)}
        {children}
      </div>
      {paths.filter(isPlace).map(input)}
      <ScopeChoice shared={shared} menu={menu} scope={scope} onChange={setScope} what="this" />
    </Form>
  );
}

interface InputProps {
  readonly path: FieldPath;
  readonly menu: PreviewMenu;
  readonly written: string | Chosen | undefined;
  readonly onChange: (value: string | Chosen) => void;
}

function FieldInput({ path, menu, written, onChange, around }: Within<InputProps>) {
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
        around={around}
      />
    );
  }
  const input = { id: path, label, value: text, onInput: onChange };
  return field.is === "recording" ? (
    <SelectInput {...input} options={optionsFor(old, around, editor)} />
  ) : (
    <TextInput {...input} inputMode={field.is === "text" ? "text" : "numeric"} />
  );
}

function optionsFor(
  old: string,
  around: PageProject,
  editor: PageEditor | undefined,
): (readonly [string, string])[] {
  const known = aliasesOf(around, editor).map(({ alias, says }) => {
    const words = says === undefined ? alias : `${alias}: ${says}`;
    return [alias, words] as const;
  });
  return known.some(([alias]) => alias === old) ? known : [[old, old], ...known];
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
