import * as z from "zod/mini";
import { described, listOf, matching, oneOf, optional } from "./field-types.ts";

/** The operations that some services offer beyond creating menus and listing agents. */
export const operationNames = [
  "list",
  "update",
  "delete",
  "numbers",
  "users",
  "departments",
  "recordings",
  "record",
] as const;
export type OperationName = (typeof operationNames)[number];

export const Operations = listOf(
  oneOf(
    operationNames,
    "An operation: `list` reads menus, `update` changes them in place, `numbers` points phone numbers to menus, `users` reads agents from the list of users, `departments` and `recordings` read names for `ivrctl agents pull`, `record` makes recordings from texts, `delete` deletes menus whose files were deleted.",
  ),
  "What the service can do besides creating menus and listing agents. `update`, `delete` and `numbers` need `list`, and `delete` needs `numbers` too. Default: none.",
  ["list", "update"],
);

/** What a plan does only if the command line or the environment allows it. */
export const permissionNames = [
  "delete",
  "take-number",
  "recreate",
  "webhook-loss",
  "same-name",
  "older",
] as const;
export type Permission = (typeof permissionNames)[number];

export const Permissions = listOf(
  oneOf(
    permissionNames,
    "A permission: `delete` deletes menus whose files were deleted, `take-number` binds phone numbers that point to something ivrctl does not manage, `recreate` creates menus again that the service no longer lists, `webhook-loss` updates menus even if this removes webhooks that were set on the console, `same-name` creates menus even if the service already has menus with their names, `older` applies files that are older than those of the last apply.",
  ),
  "What every plan of the environment may do, as with `--allow`. Default: nothing.",
  ["delete", "take-number"],
);

const needs: Readonly<Record<OperationName, readonly OperationName[]>> = {
  list: [],
  update: ["list"],
  delete: ["list", "numbers"],
  numbers: ["list"],
  users: [],
  departments: [],
  recordings: [],
  record: [],
};

/** The operations that an operation needs and that are not among those given. */
export function missingFor(operation: OperationName, offered: readonly string[]): OperationName[] {
  return needs[operation].filter((needed) => !offered.includes(needed));
}

/** The wire settings about the lists that a service returns. */
export const readSettings = optional({
  read_kinds: described(
    z.record(
      kindWord("A kind of destination as menus write it.", "ivr"),
      kindWord("The name of the kind in the list of menus.", "ivrmenu"),
    ),
    "The names that the list of menus has for kinds of destinations, if they differ. Default: `department: ringgroup`.",
    { ivr: "ivrmenu" },
    { must: "must map kinds of destinations to their names in the list" },
  ),
  read_retries: oneOf(
    ["timeout_tries", "timeout_retries"],
    "The field of the payload that `timeout_retries` in the list of menus shows, if a menu sends both. Default: timeout_tries.",
  ),
});

export function kindWord(description: string, example: string) {
  const must = "must be a word without spaces or `|`";
  return matching(/^[^\s|]+$/, "IVR203", must, description, example, { numeric: true });
}
