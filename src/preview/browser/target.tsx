import { destinationBox } from "../../graph/picture.ts";
import type { CallDestination } from "../../model/call-menu.ts";
import { many } from "../../util/many.ts";
import { useProject } from "./project.ts";
import { type PageProject, aboutAgent, menuAddress } from "./view.ts";

/** Where a key goes in words: a name, and what distinguishes it. `fault` is why a call fails there. */
export function wordsOf(destination: CallDestination, around: PageProject) {
  const { id, lines, mark, menu } = destinationBox(destination, around);
  const call = menu === undefined ? undefined : around.menus.get(menu);
  const [name = "", ...about] = lines;
  if (call) {
    const fault = mark === undefined ? undefined : "has errors";
    return {
      id,
      name: call.name,
      about: `menu · ${many(call.options.length, "key")}`,
      fault,
      menu,
    };
  }
  if (destination.kind === "agent") {
    const known = aboutAgent(destination, around.data);
    const told = around.twins.has(destination.eid) ? [`extension ${destination.eid}`] : [];
    const fault = destination.blocked ? "blocked" : undefined;
    return { id, name, about: [known, ...told].filter(Boolean).join(" · "), fault, menu };
  }
  const fault = mark === undefined ? undefined : about.at(-1);
  if (destination.kind !== "other") return { id, name, about: "", fault, menu };
  const { alias, name: kind, id: other } = destination;
  if (kind === "hangup") return { id, name: "The call ends", about: "", fault, menu };
  return {
    id,
    name: alias ?? name,
    about: alias === undefined ? "" : `${kind} ${other}`,
    fault,
    menu,
  };
}

/** A round sign with the letters of a person, a square one for a menu, or an arrow for a different destination. */
export function Face({ name, kind }: { readonly name: string; readonly kind: string }) {
  if (kind !== "agent") {
    return (
      <span class={kind === "menu" ? "face menu" : "face none"} aria-hidden="true">
        {kind === "menu" ? "☰" : kind === "other" ? "→" : "✕"}
      </span>
    );
  }
  const letters = name.split(/\s+/).flatMap((word) => Array.from(word)[0] ?? []);
  const hue = Array.from(name).reduce(
    (sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 360,
    7,
  );
  return (
    <span class="face" aria-hidden="true" style={{ "--hue": String(hue) }}>
      {[letters[0], letters.length > 1 && letters.at(-1)].filter(Boolean).join("").toUpperCase()}
    </span>
  );
}

interface TargetProps {
  readonly destination: CallDestination;
  readonly was?: CallDestination | undefined;
}

/** Whom a key reaches, and in small letters whom it reached before a change. */
export function Target({ destination, was = destination }: TargetProps) {
  const project = useProject();
  const { id, name, about, menu } = wordsOf(destination, project);
  const before = wordsOf(was, project);
  return (
    <>
      <Face name={name} kind={destination.kind} />
      <span class="who">
        {before.id !== id && (
          <s class="was">
            {[before.name, before.name === name && before.about].filter(Boolean).join(", ")}
          </s>
        )}
        {menu === undefined ? <b>{name}</b> : <a href={menuAddress(menu)}>{name}</a>}
        <small>{about}</small>
      </span>
    </>
  );
}
