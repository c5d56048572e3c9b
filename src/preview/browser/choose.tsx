import { useState } from "preact/hooks";
import { peopleIn } from "../../call/reached.ts";
import { many } from "../../util/many.ts";
import type { WantedDestination } from "../../schema/intent.ts";
import { useEditor } from "./editor.ts";
import { Face } from "./target.tsx";
import type { Within } from "./view.ts";

export interface Chosen {
  readonly to: WantedDestination;
  readonly name: string;
  readonly about: string;
}

interface ChooseProps {
  readonly label: string;
  /** The menu whose key it is, which a key does not go to. Undefined if only people can be chosen. */
  readonly menu: string | undefined;
  /** The extension of somebody who cannot be chosen. */
  readonly except?: string | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

/** A search for a person or a menu. */
export function Choose({ label, menu, except, onChoose, around }: Within<ChooseProps>) {
  const editor = useEditor();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const uses = new Map(
    peopleIn(around.current).map(([use, ...more]) => [
      use.person.kind === "agent" ? use.person.eid : "",
      [use, ...more].filter(({ path }) => path.via === "option").length,
    ]),
  );
  const has = (text: string) =>
    query
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.toLowerCase().includes(word));
  const people = (editor?.agents ?? [])
    .filter(
      ({ name, team, intercom, eid }) =>
        eid !== except && has([name, team, intercom, eid].join(" ")),
    )
    .map(({ eid, name, team, departments, intercom, blocked }) => {
      const count = uses.get(eid) ?? 0;
      return {
        to: { kind: "agent", eid } as const,
        name,
        about: [team ?? departments.join(" and "), intercom].filter(Boolean).join(" · "),
        note: blocked
          ? "blocked, gets no calls"
          : count > 0
            ? `on ${many(count, "key")}`
            : "on no key yet",
        isOff: blocked,
      };
    });
  const menus = around.current
    .filter(
      ({ key, name, call }) => menu !== undefined && call && key !== menu && has(`${name} ${key}`),
    )
    .map(({ key, name, call }) => ({
      to: { kind: "menu", key } as const,
      name,
      about: `menu · ${many(call?.options.length ?? 0, "key")}`,
      note: key,
      isOff: false,
    }));
  const ends =
    menu !== undefined && has("end the call hang up")
      ? [
          {
            to: { kind: "other", name: "hangup", id: "1" } as const,
            name: "End the call",
            about: "",
            note: "",
            isOff: false,
          },
        ]
      : [];
  const all = [...people.slice(0, 30), ...menus.slice(0, 30), ...ends];
  const pick = (index: number) => {
    const one = all[index];
    if (one && !one.isOff) onChoose(one);
  };
  const move = (step: number) => {
    const next = (at + step + all.length) % Math.max(all.length, 1);
    setAt(next);
    document.getElementById(`choice-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  const titles = new Map([
    [0, people.length > 0 ? "People" : menus.length > 0 ? "Menus" : "Other"],
    ...(menus.length > 0 ? [[Math.min(people.length, 30), "Menus"] as const] : []),
    ...(ends.length > 0 ? [[all.length - 1, "Other"] as const] : []),
  ]);
  return (
    <div class="choose">
      <label for="choose">{label}</label>
      <input
        id="choose"
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={all.length > 0 ? `choice-${at}` : undefined}
        autocomplete="off"
        placeholder={menu === undefined ? "Search a person" : "Search a person or a menu"}
        value={query}
        ref={focusOnce}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else if (event.key === "Enter") pick(at);
          else return;
          event.preventDefault();
        }}
      />
      <div id="choices" role="listbox" aria-label="People and menus">
        {all.map((one, index) => (
          <div key={`${one.to.kind} ${one.note} ${one.name} ${one.about}`}>
            {titles.has(index) && (
              <p class="choice-title" aria-hidden="true">
                {titles.get(index)}
              </p>
            )}
            <div
              id={`choice-${index}`}
              class="choice"
              role="option"
              aria-selected={index === at}
              aria-disabled={one.isOff}
              onClick={() => pick(index)}
            >
              <Face name={one.name} kind={one.to.kind} />
              <span class="who">
                <b>{one.name}</b>
                <small>{one.about}</small>
              </span>
              <small>{one.note}</small>
            </div>
          </div>
        ))}
      </div>
      {all.length === 0 && (
        <p class="about" role="status">
          Nobody has “{query}” in the name, and no menu. The agent list has{" "}
          {many(editor?.agents?.length ?? 0, "person").replace("persons", "people")}.
        </p>
      )}
    </div>
  );
}

function focusOnce(input: HTMLInputElement | null): void {
  if (input?.dataset["seen"] === undefined) input?.focus({ preventScroll: true });
  if (input) input.dataset["seen"] = "";
}
