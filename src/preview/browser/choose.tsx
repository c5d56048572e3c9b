import { useState } from "preact/hooks";
import { peopleIn } from "../../call/reached.ts";
import { many } from "../../util/many.ts";
import type { WantedDestination } from "../../schema/intent.ts";
import { type PageEditor, useEditor } from "./editor.ts";
import { Face } from "./target.tsx";
import { useProject } from "./project.ts";
import type { PageProject } from "./view.ts";

export interface Chosen {
  readonly to: WantedDestination;
  readonly name: string;
  readonly about: string;
}

interface Choice extends Chosen {
  /** The heading that it is below. */
  readonly title: string;
  readonly note: string;
  /** Other words by which it is found. */
  readonly also?: string;
  /** Whether it cannot be chosen. */
  readonly isOff?: boolean;
}

interface ChooseProps {
  readonly label: string;
  /** The menu whose key it is, which a key does not go to. Undefined if only people can be chosen. */
  readonly menu: string | undefined;
  /** The extension of somebody who cannot be chosen. */
  readonly except?: string | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

/** So many people and so many menus are listed. */
const mostShown = 30;

/** A search for a person, a menu or a different destination. */
export function Choose({ label, menu, except, onChoose }: ChooseProps) {
  const editor = useEditor();
  const project = useProject();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const people = peopleOf(project, editor).filter(
    ({ to }) => to.kind === "agent" && to.eid !== except,
  );
  const menus = menusOf(project).filter(({ to }) => to.kind === "menu" && to.key !== menu);
  const groups = menu === undefined ? [people] : [people, menus, othersOf(editor)];
  const words = query.toLowerCase().split(/\s+/);
  const isFound = ({ name, about, note, also = "" }: Choice) => {
    const text = [name, about, note, also].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const all = groups.flatMap((group) => group.filter(isFound).slice(0, mostShown));
  const pick = (one: Choice | undefined) => {
    if (one && one.isOff !== true) onChoose(one);
  };
  const move = (step: number) => {
    const next = (at + step + all.length) % Math.max(all.length, 1);
    setAt(next);
    document.getElementById(`choice-${next}`)?.scrollIntoView({ block: "nearest" });
  };
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
          else if (event.key === "Enter") pick(all[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div id="choices" role="listbox" aria-label="People and menus">
        {all.map((one, index) => (
          <div key={`${one.to.kind} ${one.note} ${one.name} ${one.about}`}>
            {one.title !== all[index - 1]?.title && (
              <p class="choice-title" aria-hidden="true">
                {one.title}
              </p>
            )}
            <div
              id={`choice-${index}`}
              class="choice"
              role="option"
              aria-selected={index === at}
              aria-disabled={one.isOff}
              onClick={() => pick(one)}
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

function peopleOf({ current }: PageProject, editor: PageEditor | undefined): Choice[] {
  const uses = new Map(
    peopleIn(current).map(([use, ...more]) => [
      use.person.kind === "agent" ? use.person.eid : "",
      [use, ...more].filter(({ path }) => path.via === "option").length,
    ]),
  );
  return (editor?.agents ?? []).map(({ eid, name, team, departments, intercom, blocked }) => {
    const count = uses.get(eid) ?? 0;
    const used = count > 0 ? `on ${many(count, "key")}` : "on no key yet";
    return {
      title: "People",
      to: { kind: "agent", eid },
      name,
      about: [team ?? departments.join(" and "), intercom].filter(Boolean).join(" · "),
      note: blocked ? "blocked, gets no calls" : used,
      also: eid,
      isOff: blocked,
    };
  });
}

function menusOf({ current }: PageProject): Choice[] {
  return current.flatMap(({ key, name, call }) => {
    const about = `menu · ${many(call?.options.length ?? 0, "key")}`;
    return call ? { title: "Menus", to: { kind: "menu", key }, name, about, note: key } : [];
  });
}

/** The destinations that ivrctl.yaml names, and the end of the call. */
function othersOf(editor: PageEditor | undefined): Choice[] {
  const ofFiles = (editor?.destinations ?? []).map(({ alias, kind, id }): Choice => {
    const to = { kind: "other", name: kind, id } as const;
    return { title: "Other", to, name: alias, about: kind, note: id };
  });
  const end = { kind: "other", name: "hangup", id: "1" } as const;
  const last = { title: "Other", to: end, name: "End the call", about: "", note: "" };
  return [...ofFiles, { ...last, also: "hang up" }];
}

function focusOnce(input: HTMLInputElement | null): void {
  if (input?.dataset["seen"] === undefined) input?.focus({ preventScroll: true });
  if (input) input.dataset["seen"] = "";
}
