import * as z from "zod/mini";
import {
  ActionJson,
  type OwnContent,
  documented,
  binding,
  jsonCount,
  environmentField,
  jsonListOf,
  mattersList,
  output,
  shared,
  jsonText,
  textOrNull,
  waitsFor,
} from "./shared-fields.ts";
import { followUps } from "./follow-up.ts";
import { DifferenceJson } from "./menu.ts";

export const OutcomeCounts = z.strictObject({
  created: z.int(),
  updated: z.int(),
  bound: z.int(),
  deleted: z.int(),
  failed: z.int(),
  unknown: z.int(),
  not_attempted: z.int(),
  waiting: z.int(),
  moved: z.int(),
  reworded: z.int(),
  forgotten: z.int(),
  restored: z.int(),
  missing: z.int(),
  drift: z.int(),
});

const answer = {
  status: documented("The HTTP status, if there was one.", z.nullable(z.int())),
  message: textOrNull("What the service answered, or why there is no answer."),
};

const attempts = jsonCount("How many times the request was sent in this run.");

const BindResult = z.strictObject({
  ...binding,
  outcome: z.enum(["bound", "failed", "unknown", "not_attempted"]),
  ...answer,
  attempts,
});

const Result = shared(
  "result",
  "The result of a change.",
  z.strictObject({
    key: jsonText("The key of the menu."),
    name: jsonText("The name of the menu."),
    action: ActionJson,
    outcome: z.keyof(OutcomeCounts),
    ...answer,
    attempts,
    id: z.optional(jsonText("The id of the menu, if it is known and the service can list menus.")),
    bind: z.optional(jsonListOf("The phone numbers that the change binds.", BindResult)),
    changed: z.optional(
      jsonListOf(
        "What someone changed on the console since the plan was made, if nothing was sent because of that.",
        DifferenceJson,
      ),
    ),
    incomplete: z.optional(
      documented(
        "Why the links of a new menu are missing, if the update that adds them was not done.",
        z.strictObject(answer),
      ),
    ),
    waits_for: waitsFor,
  }),
);

export const ApplyOutput = output("apply", {
  environment: environmentField,
  summary: documented("How many changes have each outcome.", OutcomeCounts),
  results: jsonListOf("A result for every change, in the order of the plan.", Result),
  follow_ups: followUps,
  matters: mattersList,
});

export type ApplyContent = OwnContent<typeof ApplyOutput>;
export type ResultOutput = z.infer<typeof Result>;
export type BindResult = z.infer<typeof BindResult>;
