import { useState } from "preact/hooks";
import type { WantedField } from "../../schema/intent.ts";
import type { PreviewMenu } from "../data.ts";
import type { Chosen } from "./choose.tsx";
import { DestinationField } from "./destination-field.tsx";
import { useEditor } from "./editor.ts";
import { Form } from "./form.tsx";
import { type Scope, ScopeChoice } from "./scope-choice.tsx";
import type { Within } from "./view.ts";

type CountPath = "invalid.retries" | "timeout.retries" | "timeout.wait";

/** Where calls go after wrong keys or silence, how often the menu asks again, and how long it waits. */
export function OtherwiseForm({
  menu,
  via,
  onClose,
  around,
}: Within<{ menu: PreviewMenu; via: "invalid" | "timeout"; onClose: () => void }>) {
  const editor = useEditor();
  const { call } = menu;
  const [chosen, setChosen] = useState<Chosen>();
  const [retries, setRetries] = useState(call?.[`${via}.retries`] ?? "");
  const [wait, setWait] = useState(call?.["timeout.wait"] ?? "");
  const [scope, setScope] = useState<Scope>("here");
  if (call === undefined) return null;
  const shared = editor?.shared?.[menu.key]?.[`${via}.destination`];
  const count = (path: CountPath, to: string): WantedField[] =>
    to === call[path] ? [] : [{ path, to }];
  const fields: WantedField[] = [
    ...(chosen ? [{ path: `${via}.destination`, to: chosen.to } as const] : []),
    ...count(`${via}.retries`, retries),
    ...(via === "timeout" ? count("timeout.wait", wait) : []),
  ];
  const number = (id: string, label: string, value: string, set: (text: string) => void) => (
    <div>
      <label for={id}>{label}</label>
      <input
        id={id}
        inputMode="numeric"
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </div>
  );
  return (
    <Form
      label={via === "invalid" ? "Wrong keys" : "Silence"}
      submit="Change"
      isReady={[retries, wait].every((text) => /^\d{1,3}$/.test(text)) && fields.length > 0}
      requests={() => [{ do: "set", menu: menu.key, where: scope, fields }]}
      onClose={onClose}
    >
      <div class="fields two">
        {number("retries", "Asks again", retries, setRetries)}
        {via === "timeout" && number("wait", "Waits, in seconds", wait, setWait)}
      </div>
      <DestinationField
        menu={menu.key}
        was={call[`${via}.destination`]}
        chosen={chosen}
        onChoose={setChosen}
        around={around}
      />
      <ScopeChoice shared={shared} menu={menu} scope={scope} onChange={setScope} what="this" />
    </Form>
  );
}
