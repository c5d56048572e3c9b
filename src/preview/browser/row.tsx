import type { ComparedPart } from "../../call/call-comparison.ts";
import type { CallMenu, CallPath } from "../../model/call-menu.ts";
import type { SmsTemplate } from "../../model/menu.ts";
import { type FieldPath, fields } from "../../schema/fields.ts";
import { many } from "../../util/many.ts";
import { Pen } from "./inputs.tsx";
import { fieldsOfPart, labelOf, recordingOf, textOf } from "./menu-fields.ts";
import { List, Pill, Words } from "./parts.tsx";
import { Target, wordsOf } from "./target.tsx";
import { useProject } from "./project.ts";

interface RowProps extends ComparedPart<CallPath> {
  /** What else the table of fields has for wrong keys or silence. */
  readonly settings: readonly Setting[];
  readonly sms: SmsTemplate | undefined;
  readonly isLit: boolean;
  readonly isFailed: boolean;
  readonly isOpen: boolean;
  /** Absent if nobody can edit it. */
  readonly edit: (() => void) | undefined;
}

/** What callers do, and whom they reach. */
export function Row(props: RowProps) {
  const { id, value, was, mark, settings, sms, isLit, isFailed, isOpen, edit } = props;
  const { via, key, destination } = value;
  const { fault } = wordsOf(destination, useProject());
  const purpose = purposeOf(value);
  const before = was && purposeOf(was);
  return (
    <div class={`row${isLit ? " lit" : ""}${mark === "removed" ? " gone" : ""}`}>
      <span class={key === undefined ? "cap empty" : "cap"}>
        {key ?? (via === "invalid" ? "✕" : "…")}
      </span>
      <span class="for">
        {before !== undefined && before !== purpose && <s class="was">{before}</s>}
        <bdi>{purpose}</bdi>
        {sms && <small>sends the SMS {sms.alias ?? sms.id}</small>}
        <List look="heard" of={settings}>
          {({ path, now, past }) => (
            <>
              {past && textOf(past, path) !== textOf(now, path) && (
                <s class="was">
                  <Value path={path} call={past} />
                </s>
              )}
              <Value path={path} call={now} />
            </>
          )}
        </List>
      </span>
      <span class="to">
        <Target destination={destination} was={was?.destination} />
      </span>
      <span class="flags">
        {isFailed && <Pill look="bad">test fails</Pill>}
        {fault !== undefined && <Pill look="bad">{fault}</Pill>}
        {mark !== undefined && !isFailed && <Pill look="changed">{mark}</Pill>}
        {edit && (
          <Pen
            row={id}
            what={key === undefined ? purpose : `key ${key} ${purpose}`.trim()}
            isOpen={isOpen}
            onClick={edit}
          />
        )}
      </span>
    </div>
  );
}

function purposeOf({ via, for: purpose, retries = "0", wait }: CallPath): string {
  if (via === "option") return purpose ?? "";
  const count = Number(retries) + 1;
  if (via === "invalid") return many(count, "wrong key");
  return `${count === 1 ? "" : `${count} times `}${many(Number(wait), "second")} of silence`;
}

interface Setting {
  readonly path: FieldPath;
  readonly now: CallMenu;
  readonly past: CallMenu | undefined;
}

/** The fields of wrong keys or silence that a row does not show yet, if the menu has them. */
export function settingsOf(
  via: "invalid" | "timeout",
  now: CallMenu,
  past: CallMenu | undefined,
): Setting[] {
  const shown = new Set([`${via}.retries`, "timeout.wait"]);
  return fieldsOfPart(via).flatMap((path) =>
    fields[path].is === "destination" || shown.has(path) || textOf(now, path) === ""
      ? []
      : { path, now, past },
  );
}

/** What callers hear or, for another field, its name and value. */
function Value({ path, call }: { readonly path: FieldPath; readonly call: CallMenu }) {
  const recording = recordingOf(call, path);
  return recording ? (
    <Words recording={recording} />
  ) : (
    <>{`${labelOf(path)}: ${textOf(call, path)}`}</>
  );
}
