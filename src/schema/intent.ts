import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { keyPattern } from "./field-types.ts";

const text = z.string().check(z.minLength(1), z.maxLength(10_000));
const menuKey = text.check(z.regex(keyPattern));
const press = text.check(z.maxLength(100));

/** Where something goes, in the words of the model. */
const Destination = z.union([
  z.strictObject({ kind: z.literal("agent"), eid: text }),
  z.strictObject({ kind: z.literal("menu"), key: menuKey }),
  z.strictObject({ kind: z.literal("other"), name: text, id: text }),
]);

const Option = z.strictObject({
  key: text.check(z.regex(/^[0-9*#]$/)),
  for: z.optional(text),
  destination: Destination,
});

const place = {
  menu: menuKey,
  /** Whether only this menu changes, or every menu that has the value from the same place. */
  where: z.enum(["here", "everywhere"]),
};

/** What a person wants to change on the page, in the words of the model. It never has YAML. */
export const Intent = z.discriminatedUnion("do", [
  /** A key. With a new key, `from` is undefined; `to: null` removes it. */
  z.strictObject({
    do: z.literal("option"),
    ...place,
    from: z.optional(press),
    to: z.nullable(Option),
  }),
  z.strictObject({
    do: z.literal("destination"),
    ...place,
    path: z.enum(["invalid.destination", "timeout.destination"]),
    to: Destination,
  }),
  z.strictObject({
    do: z.literal("count"),
    ...place,
    path: z.enum(["invalid.retries", "timeout.retries", "timeout.wait"]),
    to: text.check(z.regex(/^\d{1,3}$/)),
  }),
  z.strictObject({
    do: z.literal("text"),
    ...place,
    path: z.enum(["name", "description"]),
    to: text,
  }),
  /** The text of the recording that a menu plays. */
  z.strictObject({
    do: z.literal("says"),
    menu: menuKey,
    path: z.enum([
      "recording",
      "invalid.recording",
      "timeout.retry_recording",
      "timeout.recording",
    ]),
    to: text,
  }),
  /** A failed test expects what happens now. */
  z.strictObject({ do: z.literal("expect"), menu: menuKey, file: text, line: z.int() }),
  /** A call becomes a test of the menu where it began. */
  z.strictObject({
    do: z.literal("test"),
    menu: menuKey,
    press: z.array(press).check(z.maxLength(limits.keysPressed)),
  }),
  /** A new menu like another one, with one key. */
  z.strictObject({
    do: z.literal("menu"),
    key: menuKey,
    like: menuKey,
    name: text,
    option: Option,
  }),
]);
export type Intent = z.infer<typeof Intent>;
export type WantedDestination = z.infer<typeof Destination>;
