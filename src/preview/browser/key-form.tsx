import { useState } from "preact/hooks";
import type { CallDestination, CallOption } from "../../model/call-menu.ts";
import type { EditRequest, SharedValue } from "../../schema/edit-request.ts";
import type { WantedDestination } from "../../schema/intent.ts";
import type { PreviewMenu } from "../data.ts";
import type { Chosen } from "./choose.tsx";
import { DestinationField } from "./destination-field.tsx";
import { useEditor } from "./editor.ts";
import { Form } from "./form.tsx";
import { SelectInput, TextInput } from "./inputs.tsx";
import type { Scope } from "./scope-choice.tsx";

interface KeyFormProps {
  readonly menu: PreviewMenu;
  /** Undefined for a new key. */
  readonly option: CallOption | undefined;
  /** A key that a new option can have. */
  readonly free: string;
  readonly shared: SharedValue | undefined;
  readonly onClose: () => void;
}

/** Adds, changes, moves or removes a key. */
export function KeyForm({ menu, option, free, shared, onClose }: KeyFormProps) {
  const editor = useEditor();
  const [key, setKey] = useState(option?.key ?? free);
  const [purpose, setPurpose] = useState(option?.for ?? "");
  const [chosen, setChosen] = useState<Chosen>();
  const oldSms = option?.sms?.alias ?? option?.sms?.id ?? "";
  const [sms, setSms] = useState(oldSms);
  const keys = menu.call?.options.map((one) => one.key) ?? [];
  const oldPlace = option === undefined ? keys.length : keys.indexOf(option.key);
  const [place, setPlace] = useState(oldPlace);
  const to = chosen?.to ?? (option && wanted(option.destination));
  const placeOf = (where: Scope) => ({ menu: menu.key, where });
  const from = option && { from: option.key };
  const isChanged = chosen !== undefined || purpose !== (option?.for ?? "") || key !== option?.key;
  const requests = (where: Scope): EditRequest[] => {
    const others = keys.filter((other) => other !== option?.key);
    const named = purpose.trim() === "" ? {} : { for: purpose.trim() };
    const next = to && { key, destination: to, ...named };
    const fields = [{ path: `options.${key}.sms`, to: sms === "" ? null : sms }];
    const order = others.toSpliced(place, 0, key);
    const all: (EditRequest | false)[] = [
      isChanged && next !== undefined && { do: "option", ...placeOf(where), ...from, to: next },
      sms !== oldSms && { do: "set", ...placeOf(where), fields },
      place !== oldPlace && { do: "order", ...placeOf(where), keys: order },
    ];
    return all.filter((one) => one !== false);
  };
  const templates = [...new Set([...(editor?.smsTemplates ?? []), ...(oldSms ? [oldSms] : [])])];
  return (
    <Form
      label={option ? `Key ${option.key}` : "New key"}
      submit={option ? "Change" : "Add key"}
      requests={requests}
      onClose={onClose}
      removal={
        option && {
          words: `Remove key ${option.key}`,
          requests: (where) => [{ do: "option", ...placeOf(where), ...from, to: null }],
        }
      }
      sharing={{ menu, shared, what: option ? "this key" : "their keys" }}
    >
      <div class="fields key-fields">
        <TextInput id="key" label="Key" value={key} onInput={setKey} />
        <TextInput
          id="purpose"
          label="Purpose, as callers hear it"
          value={purpose}
          onInput={setPurpose}
        />
      </div>
      <DestinationField
        menu={menu.key}
        was={option?.destination}
        chosen={chosen}
        onChoose={setChosen}
      />
      {option && (
        <div class="fields two">
          <SelectInput
            id="place"
            label="Announced"
            value={String(place)}
            onInput={(at) => setPlace(Number(at))}
            options={keys.map((_, at) => [String(at), placeWords(at, keys.length)])}
          />
          {templates.length > 0 && (
            <SelectInput
              id="sms"
              label="Sends an SMS"
              value={sms}
              onInput={setSms}
              options={["", ...templates].map((name) => [name, name || "no"])}
            />
          )}
        </div>
      )}
    </Form>
  );
}

function placeWords(at: number, count: number): string {
  return at === 0 ? "first" : at === count - 1 ? "last" : `as number ${at + 1}`;
}

/** A destination as a request names it. Undefined for one that nobody can reach. */
function wanted(to: CallDestination): WantedDestination | undefined {
  if (to.kind === "agent") return { kind: "agent", eid: to.eid };
  if (to.kind === "menu") return { kind: "menu", key: to.key };
  return to.kind === "other" ? { kind: "other", name: to.name, id: to.id } : undefined;
}
