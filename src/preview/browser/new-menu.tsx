import { useState } from "preact/hooks";
import { type Chosen } from "./choose.tsx";
import { useEditor } from "./editor.ts";
import { DestinationField } from "./destination-field.tsx";
import { Form } from "./form.tsx";
import { SelectInput, TextInput } from "./inputs.tsx";
import { useProject } from "./project.ts";
import { menuAddress } from "./view.ts";

/** Makes a menu with one key. Its other settings come from the defaults, or from a menu that it is like. */
export function NewMenu() {
  const editor = useEditor();
  const models = useProject().current.filter(({ call }) => call);
  const [name, setName] = useState("");
  const [written, setKey] = useState<string>();
  const [like, setLike] = useState(models[0]?.key ?? "");
  const [purpose, setPurpose] = useState("");
  const [chosen, setChosen] = useState<Chosen>();
  const folder = like.includes("/") ? like.slice(0, like.lastIndexOf("/") + 1) : "";
  const word = name
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/g, "-");
  const key = written ?? folder + word.replaceAll(/^-|-$/g, "");
  if (editor === undefined) return <p>Start ivrctl edit to make a menu here.</p>;
  const named = purpose === "" ? {} : { for: purpose };
  const option = chosen && { key: "1", destination: chosen.to, ...named };
  return (
    <Form
      label="New menu"
      submit="Make the menu"
      onClose={() => (location.hash = "#/")}
      onDone={() => (location.hash = menuAddress(key))}
      requests={() =>
        option === undefined || name.trim() === ""
          ? []
          : [{ do: "menu", key, like, name: name.trim(), option }]
      }
    >
      <div class="fields two">
        <TextInput id="name" label="Name" value={name} onInput={setName} />
        <TextInput id="key" label="File under ivrs/, without .yaml" value={key} onInput={setKey} />
        <SelectInput
          id="like"
          label="Recordings, retries and waiting as in"
          value={like}
          onInput={setLike}
          options={models.map((menu) => [menu.key, menu.name])}
        />
        <TextInput id="purpose" label="Key 1 is for" value={purpose} onInput={setPurpose} />
      </div>
      <DestinationField menu={key} was={undefined} chosen={chosen} onChoose={setChosen} />
    </Form>
  );
}
