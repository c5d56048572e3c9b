import * as z from "zod/mini";
import { instruction, keyPattern, keyRule, varName } from "./field-types.ts";
import { fieldsOfKind } from "./fields.ts";
import { limits } from "./limits.ts";

const text = z.string().check(z.minLength(1), z.maxLength(10_000));
const menuKey = text.check(
  z.regex(keyPattern, `The path of a file cannot be this. ${instruction(keyRule)}`),
);
const press = text.check(z.maxLength(100));
const presses = z.array(press).check(z.maxLength(limits.keysPressed));
const phoneKey = text.check(z.regex(/^[0-9*#]$/, "A key is one digit, `*` or `#`."));

/** Where something goes, in the words of the model. */
const Destination = z.union([
  z.strictObject({ kind: z.literal("agent"), eid: text }),
  z.strictObject({ kind: z.literal("menu"), key: menuKey }),
  z.strictObject({ kind: z.literal("other"), name: text, id: text }),
]);

const Option = z.strictObject({ key: phoneKey, for: z.optional(text), destination: Destination });

const place = {
  menu: menuKey,
  /** Whether only this menu changes, or every menu that has the value from the same place. */
  where: z.enum(["here", "everywhere"]),
};

/** The new value of a field. Null removes the menu's own value, so that a default counts again. */
const field = <P extends z.core.$ZodType, T extends z.core.$ZodType>(path: P, to: T) =>
  z.strictObject({ path, to: z.nullable(to) });

/** A field of a menu by its path in the table of fields. Compiling says which texts a field cannot have. */
const Field = z.union([
  field(z.enum(fieldsOfKind("text")), text),
  field(z.enum([...fieldsOfKind("count"), ...fieldsOfKind("number")]), text),
  /** The alias of a recording or of an SMS template, or its id. */
  field(z.enum(fieldsOfKind("recording")), text),
  field(text.check(z.regex(/^options\.[0-9*#]\.sms$/)), text),
  field(z.enum(fieldsOfKind("destination")), Destination),
  field(z.literal("numbers"), z.array(text).check(z.maxLength(1_000))),
  field(text.check(z.regex(new RegExp(`^vars\\.${varName.source.slice(1)}`))), z.string()),
]);
export type WantedField = z.infer<typeof Field>;

/** What a person wants to change on the page, in the words of the model. It never has YAML. */
export const Intent = z.discriminatedUnion("do", [
  /** Fields of a menu, all of them or none. */
  z.strictObject({
    do: z.literal("set"),
    ...place,
    fields: z.array(Field).check(z.minLength(1), z.maxLength(50)),
  }),
  /** A key. With a new key, `from` is undefined; `to: null` removes it. */
  z.strictObject({
    do: z.literal("option"),
    ...place,
    from: z.optional(press),
    to: z.nullable(Option),
  }),
  /** The keys in the order announced. */
  z.strictObject({
    do: z.literal("order"),
    ...place,
    keys: z.array(press).check(z.maxLength(100)),
  }),
  /** The text of a recording, by its alias. Every menu that plays it changes. */
  z.strictObject({ do: z.literal("says"), recording: text, to: text }),
  /** Everything that reaches one person reaches another. Both as `agents replace` names them: `eid 500101`. */
  z.strictObject({ do: z.literal("replace"), from: text, to: text }),
  /** A failed test expects what happens now, or presses different keys. */
  z.strictObject({
    do: z.literal("expect"),
    menu: menuKey,
    file: text,
    line: z.int(),
    press: z.optional(presses),
  }),
  /** A call becomes a test of the menu where it began. */
  z.strictObject({ do: z.literal("test"), menu: menuKey, press: presses }),
  /** A new menu like another one, with one key. */
  z.strictObject({
    do: z.literal("menu"),
    key: menuKey,
    like: menuKey,
    name: text,
    option: Option,
  }),
  /** A different key, which is the path of the file. The menu keeps its record. */
  z.strictObject({ do: z.literal("rename"), menu: menuKey, to: menuKey }),
  z.strictObject({ do: z.literal("delete"), menu: menuKey }),
]);
export type Intent = z.infer<typeof Intent>;
export type WantedDestination = z.infer<typeof Destination>;
