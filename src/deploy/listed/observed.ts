import type { Destination, Menu, Recipe } from "../../model/menu.ts";

/**
 * What a menu is, what a phone number points to, or what a recording is made from. A link and a recording
 * of a menu have no id until that is known.
 */
export type Content =
  | { readonly menu: Menu }
  | { readonly to: Destination | null }
  | { readonly make: Recipe };

/**
 * What the service shows of a recorded menu or phone number. `unread` if it cannot list this, and
 * `unreadable` if ivrctl does not understand its record in the list, or does not know which one it is.
 */
export type Observed =
  | {
      readonly kind: "unread" | "absent" | "unreadable";
      readonly problem?: string;
      /** The ids of the listed ones with its name or number, if it is not known which one it is. */
      readonly candidates?: readonly string[];
    }
  | {
      readonly kind: "seen";
      readonly content: Content;
      readonly id: string;
      /** The keys with a webhook that somebody set on the console. An update removes it. */
      readonly webhooks: readonly string[];
    };
