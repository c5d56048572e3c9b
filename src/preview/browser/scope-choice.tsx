import { many } from "../../util/many.ts";
import type { SharedValue } from "../../schema/edit-request.ts";
import type { PreviewMenu } from "../data.ts";

export type Scope = "here" | "everywhere";

/** Asks whether only this menu changes, or every menu with the same value. */
export function ScopeChoice({
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
