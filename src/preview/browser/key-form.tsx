import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { many } from "../../util/many.ts";
import type { CallDestination, CallOption } from "../../model/call-menu.ts";
import type { EditRequest, SharedValue } from "../../schema/edit-request.ts";
import type { WantedDestination, WantedField } from "../../schema/intent.ts";
import type { PreviewMenu } from "../data.ts";
import { type Chosen, Choose } from "./choose.tsx";
import { useEditor } from "./editor.ts";
import { Face, wordsOf } from "./face.tsx";
import type { Within } from "./view.ts";

type Scope = "here" | "everywhere";
type CountPath = "invalid.retries" | "timeout.retries" | "timeout.wait";

interface FormProps {
  readonly label: string;
  readonly submit: string;
  readonly isReady?: boolean;
  /** The requests, which are sent one after the other until one is refused. */
  readonly requests: () => readonly EditRequest[];
  readonly onClose: () => void;
  readonly remove?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form in place of what it changes. It says what was refused and why. */
export function Form({
  label,
  submit,
  isReady = true,
  requests,
  onClose,
  remove,
  children,
}: FormProps) {
  const editor = useEditor();
  const [refused, setRefused] = useState<{ why: string; place: string }>();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    for (const request of requests()) {
      const answer = await editor?.send(request);
      if (answer?.refused === undefined) continue;
      setRefused({ why: answer.refused, place: answer.place ?? "" });
      return setBusy(false);
    }
    onClose();
  };
  return (
    <form
      class="form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isBusy) void send();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      {children}
      {refused && (
        <p class="refused" role="alert">
          <b>Not written.</b> {refused.why} <code>{refused.place}</code>
        </p>
      )}
      <div class="form-end">
        {remove}
        <span class="gap" />
        <button type="button" class="quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="main" disabled={!isReady} aria-busy={isBusy}>
          {isBusy ? "Writing…" : submit}
        </button>
      </div>
    </form>
  );
}

/** Asks whether only this menu changes, or every menu with the same value. */
function ScopeChoice({
  shared,
  menu,
  scope,
  onChange,
  what,
}: {
  readonly shared: SharedValue | undefined;
  readonly menu: PreviewMenu;
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
  readonly what: string;
}) {
  if (shared === undefined) return null;
  const { count } = shared;
  return (
    <fieldset class="scope">
      <legend>
        <b>
          {many(count, "menu")} share {what}.
        </b>{" "}
        Where should it change?
      </legend>
      <label>
        <input
          type="radio"
          name="scope"
          checked={scope === "here"}
          onChange={() => onChange("here")}
        />
        <span>
          Only in {menu.name}
          <small>
            {count === 2 ? "The other one stays" : `The other ${count - 1} stay`} as they are
          </small>
        </span>
      </label>
      <label>
        <input
          type="radio"
          name="scope"
          checked={scope === "everywhere"}
          onChange={() => onChange("everywhere")}
        />
        <span>
          In all {count}
          <small>
            Changes <code>{shared.file}</code>
          </small>
        </span>
      </label>
    </fieldset>
  );
}

/** What a form shows of the place that a key goes to, until the person chooses again. */
export function Destination({
  menu,
  was,
  chosen,
  onChoose,
  around,
}: Within<{
  menu: string;
  was: CallDestination | undefined;
  chosen: Chosen | undefined;
  onChoose: (chosen: Chosen) => void;
}>) {
  const [isSearch, setSearch] = useState(was === undefined);
  const old = was && wordsOf({ destination: was, around });
  if (isSearch) {
    const choose = (one: Chosen) => {
      setSearch(false);
      onChoose(one);
    };
    return <Choose menu={menu} onChoose={choose} around={around} />;
  }
  const shown = chosen ?? old;
  const kind = chosen?.to.kind ?? was?.kind ?? "agent";
  return (
    <div class="choose">
      <span class="label" id="goes-to">
        Goes to
      </span>
      <button type="button" class="chip" aria-describedby="goes-to" onClick={() => setSearch(true)}>
        <Face name={shown?.name ?? ""} kind={kind} />
        <span class="who">
          <b>{shown?.name}</b>
          <small>
            {chosen && old && chosen.name !== old.name ? `instead of ${old.name}` : shown?.about}
          </small>
        </span>
        <span class="from">Choose again</span>
      </button>
    </div>
  );
}

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
          <Destination
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
      <Destination
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

/** What a recording says. The text is in ivrctl.yaml, so every menu that plays it changes. */
export function SaysForm({
  menu,
  onClose,
  around,
}: Within<{ menu: PreviewMenu; onClose: () => void }>) {
  const recording = menu.call?.recording;
  const [says, setSays] = useState(recording?.says ?? "");
  const users = around.current.filter(({ call }) => call?.recording.id === recording?.id);
  return (
    <Form
      label="What callers hear"
      submit="Change"
      isReady={says.trim() !== "" && says !== recording?.says}
      requests={() => [{ do: "says", recording: recording?.alias ?? "", to: says.trim() }]}
      onClose={onClose}
    >
      <div class="fields one">
        <div>
          <label for="says">What the recording says</label>
          <textarea
            id="says"
            rows={5}
            dir="auto"
            value={says}
            onInput={({ currentTarget }) => setSays(currentTarget.value)}
          />
          <p class="about">
            Somebody has to record it again. {users.length > 1 && `${users.length} menus play it.`}
          </p>
        </div>
      </div>
    </Form>
  );
}

/** A destination as a request names it. Undefined for one that nobody can reach. */
function wanted(to: CallDestination): WantedDestination | undefined {
  if (to.kind === "agent") return { kind: "agent", eid: to.eid };
  if (to.kind === "menu") return { kind: "menu", key: to.key };
  return to.kind === "other" ? { kind: "other", name: to.name, id: to.id } : undefined;
}
