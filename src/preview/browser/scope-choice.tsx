import { many } from "../../util/many.ts";
import type { SharedValue } from "../../schema/edit-request.ts";
import type { PreviewMenu } from "../data.ts";

export type Scope = "here" | "everywhere";

export interface Sharing {
  readonly menu: PreviewMenu;
  /** Undefined if no other menu has the value. */
  readonly shared: SharedValue | undefined;
  /** What the menus share: `this key`. */
  readonly what: string;
}

interface ScopeProps extends Sharing {
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
}

/** Asks whether only this menu changes, or every menu with the same value. */
export function ScopeChoice({ shared, menu, scope, onChange, what }: ScopeProps) {
  if (shared === undefined) return null;
  const { count, file } = shared;
  const others = count === 2 ? "The other one stays" : `The other ${count - 1} stay`;
  const choices = [
    ["here", `Only in ${menu.name}`, `${others} as they are`],
    ["everywhere", `In all ${count}`, `Changes ${file}`],
  ] as const;
  return (
    <fieldset class="scope">
      <legend>
        <b>
          {many(count, "menu")} share {what}.
        </b>{" "}
        Where should it change?
      </legend>
      {choices.map(([one, words, about]) => (
        <label key={one}>
          <input type="radio" name="scope" checked={scope === one} onChange={() => onChange(one)} />
          <span>
            {words}
            <small>{about}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
