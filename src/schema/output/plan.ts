import * as z from "zod/mini";
import {
  Action,
  ActionCounts,
  type Content,
  DifferenceJson,
  MenuJson,
  about,
  binding,
  count,
  environment,
  followUps,
  listOf,
  mattersList,
  output,
  state,
  shared,
  text,
  textOrNull,
  waitsFor,
} from "./shared-fields.ts";
import { SavedPlan } from "../plan.ts";

const Bind = z.strictObject(binding);

const Change = shared(
  "change",
  "What happens to a menu.",
  z.strictObject({
    key: text("The key of the menu."),
    name: text("The name of the menu."),
    action: Action,
    id: z.optional(text("The id of the menu on the service.")),
    moved_from: z.optional(text("The former key of the menu.")),
    before: about("The menu before the change. Null if there is none.", z.nullable(MenuJson)),
    after: about("The menu after the change. Null if its file was deleted.", z.nullable(MenuJson)),
    diff: listOf("The values that differ between `before` and `after`.", DifferenceJson),
    gone: z.optional(
      text("`forget`: the id of a menu that the service no longer lists. It needs no follow-up."),
    ),
    kept: z.optional(
      about(
        "`forget`: why the menu is not deleted, although the service can delete menus.",
        z.enum(["not-allowed", "unidentified", "unreadable"]),
      ),
    ),
    first: z.optional(
      about(
        "`create`: what is sent first, if an update adds links later.",
        z.nonoptional(MenuJson),
      ),
    ),
    bind: z.optional(listOf("The phone numbers that apply binds.", Bind)),
    reached_by: z.optional(
      listOf("The phone numbers that still point to the old menu after apply.", z.string()),
    ),
    drift: z.optional(
      listOf(
        "What someone changed on the console: `before` is on record, `after` is on the service.",
        DifferenceJson,
      ),
    ),
    waits_for: waitsFor,
  }),
);

const Learned = shared(
  "learned",
  "What a list of the service proves.",
  z.strictObject({
    key: text("The key of the menu."),
    follow_up: z.optional(text("The follow-up, if it is about the menu of a follow-up.")),
    number: z.optional(text("The phone number, if it is about one.")),
    id: z.optional(text("The id of the menu.")),
    resolved: z.optional(
      about(
        "The outcome of a request whose outcome was unknown.",
        z.enum([
          "created",
          "absent",
          "updated",
          "not-updated",
          "deleted",
          "not-deleted",
          "bound",
          "not-bound",
        ]),
      ),
    ),
    changed_to: z.optional(
      about(
        "The menu, if it was changed on the console to what its file says.",
        z.nonoptional(MenuJson),
      ),
    ),
    evidence: textOrNull("What the list of the service shows."),
  }),
);

/** The fields that a plan and a comparison have in common. */
const changes = {
  summary: about(
    "How many menus have each action.",
    z.extend(ActionCounts, { unchanged: z.int() }),
  ),
  callers: listOf(
    "What changes for callers: one entry for each menu, or for menus with the same change.",
    z.strictObject({
      subject: text("The name of the menu, or how many menus of a folder."),
      keys: listOf("The keys of the menus.", z.string()),
      lines: listOf(
        "What changes, from what callers reach now to what they reach after apply.",
        z.strictObject({
          text: z.string(),
          mark: z.optional(text("How it differs from other menus, or what it waits for.")),
        }),
      ),
    }),
  ),
  follows: listOf("What only follows from these changes.", z.string()),
  changes: listOf(
    "All changes, sorted by key, but each after the changes of the menus that its menu links to.",
    Change,
  ),
  follow_ups: followUps,
};

export const PlanOutput = output("plan", {
  environment,
  state,
  ...changes,
  list: z.optional(
    about(
      "The lists that the plan was compared with. Absent if the service cannot list menus.",
      z.strictObject({
        menus: count("How many menus the service listed."),
        at: text("When it listed them."),
        numbers: z.optional(count("How many phone numbers the service listed.")),
        unmanaged: listOf(
          "The menus that are not on record.",
          z.strictObject({ id: z.string(), name: z.string() }),
        ),
      }),
    ),
  ),
  learned: z.optional(listOf("What apply would record because a list proves it.", Learned)),
  matters: mattersList,
  refused: about("Whether the plan can be shown but not applied.", z.boolean()),
  plan: about(
    "What `ivrctl apply FILE` reads. Null if files are invalid. Its form can change with every version.",
    z.nullable(SavedPlan),
  ),
  digest: text("The digest of all other fields. Apply refuses a document that was changed."),
});

export const DiffOutput = output("diff", {
  environment,
  revision: about(
    "What the files were compared with. Null if the comparison failed.",
    z.nullable(
      z.strictObject({
        ref: text("The revision as it was written, or `live` for the service."),
        commit: about("The full id of the commit. Null for the service.", z.nullable(z.string())),
      }),
    ),
  ),
  state,
  ...changes,
});

export type PlanContent = Content<typeof PlanOutput>;
export type DiffContent = Content<typeof DiffOutput>;
export type Summary = PlanContent["summary"];
