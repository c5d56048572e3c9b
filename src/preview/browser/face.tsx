import { destinationBox } from "../../graph/picture.ts";
import { many } from "../../util/many.ts";
import type { CallDestination } from "../../model/call-menu.ts";
import type { Within } from "./view.ts";

/** Where a key goes in words: a name, and what distinguishes it. */
export function wordsOf({ destination, around }: Within<{ destination: CallDestination }>) {
  const { lines, mark, menu } = destinationBox(destination, around);
  const call = menu === undefined ? undefined : around.menus.get(menu);
  const [name = "", ...about] = lines;
  if (call)
    return { name: call.name, about: `menu · ${many(call.options.length, "key")}`, mark, menu };
  if (destination.kind === "agent") {
    const known = around.data.people?.[destination.eid]?.details;
    return { name, about: known?.replace(", ", " · ") ?? about.join(" · "), mark, menu };
  }
  const isEnd = destination.kind === "other" && destination.name === "hangup";
  return { name: isEnd ? "The call ends" : name, about: about.join(" · "), mark, menu };
}

/** A round sign with the letters of a person, or a square one for a menu. */
export function Face({ name, kind }: { readonly name: string; readonly kind: string }) {
  if (kind === "menu")
    return (
      <span class="face menu" aria-hidden="true">
        ☰
      </span>
    );
  if (kind !== "agent")
    return (
      <span class="face none" aria-hidden="true">
        ✕
      </span>
    );
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

/** Whom a key reaches, and whom it reached before a change. */
export function Target({
  destination,
  was = destination,
  around,
}: Within<{ destination: CallDestination; was?: CallDestination | undefined }>) {
  const { name, about } = wordsOf({ destination, around });
  const before = wordsOf({ destination: was, around });
  const isSame = before.name === name && before.about === about;
  return (
    <>
      <Face name={name} kind={destination.kind} />
      <span class="who">
        {!isSame && (
          <s class="was">{before.name === name ? `${name}, ${before.about}` : before.name}</s>
        )}
        <b>{name}</b>
        <small>{about}</small>
      </span>
    </>
  );
}
