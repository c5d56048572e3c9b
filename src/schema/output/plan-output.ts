import * as z from "zod/mini";
import {
  ActionJson,
  ActionCounts,
  type OwnContent,
  documented,
  binding,
  jsonCount,
  environmentField,
  jsonListOf,
  mattersList,
  output,
  state,
  shared,
  jsonText,
  textOrNull,
  waitsFor,
} from "./shared-fields.ts";
import { followUps } from "./follow-up.ts";
import { DifferenceJson, MenuJson } from "./menu.ts";
import { SavedPlanSchema } from "../saved-plan.ts";

const Bind = z.strictObject(binding);

const Change = shared(
  "change",
  "What happens to a menu.",
  z.strictObject({
    key: jsonText("The key of the menu."),
    name: jsonText("The name of the menu."),
    action: ActionJson,
    id: z.optional(jsonText("The id of the menu on the service.")),
    moved_from: z.optional(jsonText("The former key of the menu.")),
    before: documented("The menu before the change. Null if there is none.", z.nullable(MenuJson)),
    after: documented(
      "The menu after the change. Null if its file was deleted.",
      z.nullable(MenuJson),
    ),
    diff: jsonListOf("The values that differ between `before` and `after`.", DifferenceJson),
    gone: z.optional(
      jsonText(
        "`forget`: the id of a menu that the service no longer lists. It needs no follow-up.",
      ),
    ),
    kept: z.optional(
      documented(
        "`forget`: why the menu is not deleted, although the service can delete menus.",
        z.enum(["not-allowed", "unidentified", "unreadable"]),
      ),
    ),
    first: z.optional(
      documented(
        "`create`: what is sent first, if an update adds links later.",
        z.nonoptional(MenuJson),
      ),
    ),
    bind: z.optional(jsonListOf("The phone numbers that apply binds.", Bind)),
    numbers: z.optional(
      jsonListOf(
        "`diff` of a revision: the phone numbers that the menu gets or loses.",
        z.strictObject({
          number: jsonText("The phone number."),
          before: textOrNull("The key of the menu that named it before. Null for none."),
          after: textOrNull("The key of the menu that names it now. Null for none."),
        }),
      ),
    ),
    reached_by: z.optional(
      jsonListOf("The phone numbers that still point to the old menu after apply.", z.string()),
    ),
    drift: z.optional(
      jsonListOf(
        "What someone changed on the console: `before` is recorded, `after` is on the service.",
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
    key: jsonText("The key of the menu."),
    follow_up: z.optional(jsonText("The follow-up, if it is about the menu of a follow-up.")),
    number: z.optional(jsonText("The phone number, if it is about one.")),
    id: z.optional(jsonText("The id of the menu.")),
    resolved: z.optional(
      documented(
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
      documented(
        "The menu, if it was changed on the console to what its file says.",
        z.nonoptional(MenuJson),
      ),
    ),
    evidence: textOrNull("What the list of the service shows."),
  }),
);

/** The fields that a plan and a comparison have in common. */
const changes = {
  summary: documented(
    "How many menus have each action.",
    z.extend(ActionCounts, { unchanged: z.int() }),
  ),
  callers: jsonListOf(
    "What changes for callers: one entry for each menu, or for menus with the same change.",
    z.strictObject({
      subject: jsonText("The name of the menu, or how many menus of a folder."),
      keys: jsonListOf("The keys of the menus.", z.string()),
      lines: jsonListOf(
        "What changes, from what callers reach now to what they reach after apply.",
        z.strictObject({
          text: z.string(),
          mark: z.optional(jsonText("How it differs from other menus, or what it waits for.")),
        }),
      ),
    }),
  ),
  follows: jsonListOf("What only follows from these changes.", z.string()),
  changes: jsonListOf(
    "All changes, sorted by key, but each after the changes of the menus that its menu links to.",
    Change,
  ),
  follow_ups: followUps,
};

export const PlanOutput = output("plan", {
  environment: environmentField,
  state,
  ...changes,
  list: z.optional(
    documented(
      "The lists that the plan was compared with. Absent if the service cannot list menus.",
      z.strictObject({
        menus: jsonCount("How many menus the service listed."),
        at: jsonText("When it listed them."),
        numbers: z.optional(jsonCount("How many phone numbers the service listed.")),
        unmanaged: jsonListOf(
          "The menus that are not recorded.",
          z.strictObject({ id: z.string(), name: z.string() }),
        ),
      }),
    ),
  ),
  learned: z.optional(jsonListOf("What apply would record because a list proves it.", Learned)),
  matters: mattersList,
  refused: documented("Whether the plan can be shown but not applied.", z.boolean()),
  plan: documented(
    "What `ivrctl apply FILE` reads. Null if files are invalid. Its form can change with every version.",
    z.nullable(SavedPlanSchema),
  ),
  digest: jsonText("The digest of all other fields. Apply refuses a document that was changed."),
});

export const DiffOutput = output("diff", {
  environment: environmentField,
  revision: documented(
    "What the files were compared with. Null if the comparison failed.",
    z.nullable(
      z.strictObject({
        ref: jsonText("The revision as it was written, or `live` for the service."),
        commit: documented(
          "The full id of the commit. Null for the service.",
          z.nullable(z.string()),
        ),
      }),
    ),
  ),
  state,
  ...changes,
});

export type PlanContent = OwnContent<typeof PlanOutput>;
export type DiffContent = OwnContent<typeof DiffOutput>;
export type Summary = PlanContent["summary"];
