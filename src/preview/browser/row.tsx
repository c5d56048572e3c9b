import type { ComparedPart } from "../../call/call-comparison.ts";
import type { CallPath, CallRecording } from "../../model/call-menu.ts";
import { many } from "../../util/many.ts";
import { List, Pill, Words } from "./parts.tsx";
import { Target, wordsOf } from "./target.tsx";
import type { Within } from "./view.ts";

interface RowProps extends ComparedPart<CallPath> {
  /** What callers hear before they get there. */
  readonly heard: readonly ComparedPart<CallRecording>[];
  readonly isLit: boolean;
  readonly isFailed: boolean;
  readonly isOpen: boolean;
  /** Absent if nobody can edit it. */
  readonly edit: (() => void) | undefined;
}

/** What callers do, and whom they reach. */
export function Row(props: Within<RowProps>) {
  const { id, value, was, mark, heard, isLit, isFailed, isOpen, edit, around } = props;
  const { via, key, destination } = value;
  const { fault } = wordsOf({ destination, around });
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
        <List look="heard" of={heard}>
          {({ value: recording, was: old }) => (
            <>
              {old && (
                <s class="was">
                  <Words recording={old} />
                </s>
              )}
              <Words recording={recording} />
            </>
          )}
        </List>
      </span>
      <span class="to">
        <Target destination={destination} was={was?.destination} around={around} />
      </span>
      <span class="flags">
        {isFailed && <Pill look="bad">test fails</Pill>}
        {fault !== undefined && <Pill look="bad">{fault}</Pill>}
        {mark !== undefined && !isFailed && <Pill look="changed">{mark}</Pill>}
        {edit && (
          <button
            type="button"
            class="pen"
            data-row={id}
            aria-expanded={isOpen}
            aria-label={`Edit ${key === undefined ? purpose : `key ${key} ${purpose}`.trim()}`}
            onClick={edit}
          >
            Edit
          </button>
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
