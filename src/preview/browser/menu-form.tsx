import { useState } from "preact/hooks";
import type { EditRequest } from "../../schema/edit-request.ts";
import type { WantedField } from "../../schema/intent.ts";
import type { PreviewMenu } from "../data.ts";
import { FieldsForm } from "./fields-form.tsx";
import { fieldsOfPart } from "./menu-fields.ts";
import { useEditor } from "./editor.ts";
import { TextInput } from "./inputs.tsx";
import { menuAddress } from "./view.ts";

interface MenuFormProps {
  readonly menu: PreviewMenu;
  readonly onClose: () => void;
}

/** The names and numbers of a menu, its variables, and its file. It can be deleted, too. */
export function MenuForm({ menu, onClose }: MenuFormProps) {
  const editor = useEditor();
  const oldNumbers = menu.numbers.join(", ");
  const [numbers, setNumbers] = useState(oldNumbers);
  const [key, setKey] = useState(menu.key);
  const [vars, setVars] = useState<Readonly<Record<string, string>>>({});
  const known = editor?.vars?.[menu.key] ?? {};
  const wanted = numbers.split(/[,;\n]/).flatMap((text) => text.replaceAll(/[\s()-]/g, "") || []);
  const fields: WantedField[] = [
    ...(numbers === oldNumbers ? [] : [{ path: "numbers" as const, to: wanted }]),
    ...Object.entries(vars).flatMap(([name, to]) =>
      to === known[name] ? [] : { path: `vars.${name}`, to },
    ),
  ];
  const also: EditRequest[] = key === menu.key ? [] : [{ do: "rename", menu: menu.key, to: key }];
  const goTo = (address: string) => {
    onClose();
    location.hash = address;
  };
  return (
    <FieldsForm
      label={`Name and numbers of ${menu.name}`}
      menu={menu}
      paths={fieldsOfPart("words")}
      otherFields={fields}
      also={also}
      onClose={onClose}
      onDone={() => (also.length > 0 ? goTo(menuAddress(key)) : onClose())}
      removal={{
        words: `Delete ${menu.name}`,
        about:
          "Callers reach this menu until the change is merged and applied. A menu that a key still goes to cannot be deleted.",
        requests: () => [{ do: "delete", menu: menu.key }],
        onDone: () => goTo("#numbers"),
      }}
    >
      <TextInput id="numbers" label="Phone numbers" value={numbers} onInput={setNumbers} />
      <TextInput id="file" label="File under ivrs/, without .yaml" value={key} onInput={setKey} />
      {Object.entries(known).map(([name, value]) => (
        <TextInput
          key={name}
          id={`vars.${name}`}
          label={`Variable ${name}`}
          value={vars[name] ?? value}
          onInput={(text) => setVars({ ...vars, [name]: text })}
        />
      ))}
    </FieldsForm>
  );
}
