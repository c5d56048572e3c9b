import { useState } from "preact/hooks";
import type { CallDestination, CallOption } from "../../model/call-menu.ts";
import type { EditRequest, SharedValue } from "../../schema/edit-request.ts";
import type { WantedDestination } from "../../schema/intent.ts";
import type { PreviewMenu } from "../data.ts";
import type { Chosen } from "./choose.tsx";
import { DestinationField } from "./destination-field.tsx";
import { Form } from "./form.tsx";
import { type Scope, ScopeChoice } from "./scope-choice.tsx";
import type { Within } from "./view.ts";

/** Adds, changes, moves or removes a key. */
export function KeyForm({
  menu,
  option,
  free,
  shared,
  onClose,
  around,
}: Within<{
  menu: PreviewMenu;
  option: CallOption | undefined;
  /** A key that a new option can have. */
  free: string;
  shared: SharedValue | undefined;
  onClose: () => void;
}>) {
  const [key, setKey] = useState(option?.key ?? free);
  const [purpose, setPurpose] = useState(option?.for ?? "");
  const [chosen, setChosen] = useState<Chosen>();
  const [scope, setScope] = useState<Scope>("here");
  const to = chosen?.to ?? (option && wanted(option.destination));
  const place = { menu: menu.key, where: scope, ...(option && { from: option.key }) };
  const isKey = /^[0-9*#]$/.test(key);
  const change = (): EditRequest[] =>
    to === undefined
      ? []
      : [
          {
            do: "option",
            ...place,
            to: { key, destination: to, ...(purpose.trim() !== "" && { for: purpose.trim() }) },
          },
        ];
  const [isRemoving, setRemoving] = useState(false);
  const label = option ? `Key ${option.key}` : "New key";
  return (
    <Form
      label={label}
      submit={isRemoving ? `Remove key ${key}` : option ? "Change" : "Add key"}
      isReady={isRemoving || (to !== undefined && isKey)}
      requests={() => (isRemoving ? [{ do: "option", ...place, to: null }] : change())}
      onClose={onClose}
      remove={
        option && (
          <button type="button" class="quiet remove" onClick={() => setRemoving(!isRemoving)}>
            {isRemoving ? "Keep it" : `Remove key ${option.key}`}
          </button>
        )
      }
    >
      {!isRemoving && (
        <>
          <div class="fields">
            <div>
              <label for="key">Key</label>
              <input
                id="key"
                class="key-field"
                value={key}
                maxLength={1}
                inputMode="tel"
                autocomplete="off"
                onInput={({ currentTarget }) => setKey(currentTarget.value)}
              />
            </div>
            <div>
              <label for="purpose">Purpose, as callers hear it</label>
              <input
                id="purpose"
                dir="auto"
                value={purpose}
                placeholder="For example, Billing"
                autocomplete="off"
                onInput={({ currentTarget }) => setPurpose(currentTarget.value)}
              />
            </div>
          </div>
          <DestinationField
            menu={menu.key}
            was={option?.destination}
            chosen={chosen}
            onChoose={setChosen}
            around={around}
          />
        </>
      )}
      {(chosen ?? (isRemoving || purpose !== (option?.for ?? "") || key !== option?.key)) &&
        option && (
          <ScopeChoice
            shared={shared}
            menu={menu}
            scope={scope}
            onChange={setScope}
            what="this key"
          />
        )}
    </Form>
  );
}

/** A destination as a request names it. Undefined for one that nobody can reach. */
function wanted(to: CallDestination): WantedDestination | undefined {
  if (to.kind === "agent") return { kind: "agent", eid: to.eid };
  if (to.kind === "menu") return { kind: "menu", key: to.key };
  return to.kind === "other" ? { kind: "other", name: to.name, id: to.id } : undefined;
}
