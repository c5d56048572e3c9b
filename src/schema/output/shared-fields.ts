import * as z from "zod/mini";
import { DestinationSchema } from "../menu-record.ts";

/** A menu that another one waits for, because its id is not known yet. */
const WaitsFor = z.strictObject({
  key: z.string(),
  /**
   * `sent`: the plan changes its record, so that its id can be recorded afterwards. `unidentified`: it
   * exists, but its id is not recorded. `unknown`: its outcome is unknown. `waiting`: it waits itself.
   * `absent`: it does not exist, and the plan does not create it. `circle`: it links back to the menu that
   * waits. `recording`: it is no menu, but a recording that has no id yet.
   */
  because: z.enum([
    "sent",
    "unidentified",
    "unknown",
    "waiting",
    "absent",
    "missing",
    "circle",
    "recording",
  ]),
});

/** What a published schema says about a value. All uses of a value with an id refer to one definition. */
export const forPrograms = z.registry<{ id?: string; description?: string }>();

/** Describes a value. */
export function documented<T extends z.core.$ZodType>(description: string, schema: T): T {
  forPrograms.add(schema, { description });
  return schema;
}

/** Names a value that several places use. */
export function shared<T extends z.core.$ZodType>(id: string, description: string, schema: T): T {
  forPrograms.add(schema, { id, description });
  return schema;
}

export const jsonText = (description: string) => documented(description, z.string());
export const jsonCount = (description: string) =>
  documented(description, z.int().check(z.minimum(0)));
export const textOrNull = (description: string) => documented(description, z.nullable(z.string()));

export function jsonListOf<T extends z.core.SomeType>(description: string, item: T) {
  return documented(description, z.readonly(z.array(item)));
}

const Diagnostic = shared(
  "diagnostic",
  "A problem and its place.",
  z.strictObject({
    code: jsonText("The code of the problem: `ivrctl explain CODE` describes it."),
    severity: z.enum(["error", "warning", "info"]),
    message: jsonText("What is wrong."),
    hint: z.optional(jsonText("How to fix it.")),
    file: jsonText(
      "The path of the file, relative to the folder of the project. It can also be a folder, a database or a bucket.",
    ),
    line: documented(
      "Starts at 1. Line 1 and column 1 if the problem is about the whole file.",
      z.int(),
    ),
    column: documented("Starts at 1.", z.int()),
    end_line: z.int(),
    end_column: documented("The column after the last character.", z.int()),
  }),
);

const frame = {
  format_version: documented("The version of the format of every command.", z.literal("1.0")),
  diagnostics: jsonListOf("All problems, sorted by file and place.", Diagnostic),
};

/** What a command prints: its own content between the version and the diagnostics. */
export function output<T extends z.core.$ZodLooseShape>(command: string, content: T) {
  const { format_version, diagnostics } = frame;
  return shared(
    command.replace(" ", "-"),
    `What \`ivrctl ${command} --format json\` prints.`,
    z.strictObject({ format_version, ...content, diagnostics }),
  );
}

/** What a command prints itself. The version and the diagnostics are the same for every command. */
export type OwnContent<T extends z.core.$ZodType> = Omit<z.infer<T>, keyof typeof frame>;

export type DiagnosticOutput = z.infer<typeof Diagnostic>;

/** What every command prints if it cannot run. */
export const Failure = shared(
  "failure",
  "The command did not run: a value on the command line is wrong, or ivrctl has a bug.",
  z.strictObject({
    format_version: frame.format_version,
    diagnostics: documented("Always empty.", z.array(z.never())),
    error: jsonText("What is wrong."),
  }),
);

export type FailureOutput = z.infer<typeof Failure>;

const MatterJson = shared(
  "matter",
  "Something that needs a person.",
  z.strictObject({
    kind: jsonText("What it is, as one word. New versions can add kinds."),
    code: jsonText("Its code, which `ivrctl explain` describes."),
    refs: jsonListOf(
      "What it is about: `menu:KEY`, `number:NUMBER`, `old:FOLLOW-UP` or `recording:NAME`.",
      z.string(),
    ),
    since: z.optional(jsonText("When it began, if that is recorded.")),
    message: jsonText("What is wrong."),
    callers: z.optional(jsonText("What callers experience now.")),
    items: z.optional(jsonListOf("What the message is about, one by one.", z.string())),
    fix: jsonListOf("What to do, the shortest way first.", z.string()),
    blocks: documented(
      "What is not sent because of it.",
      z.enum(["nothing", "these menus", "everything"]),
    ),
    exit: documented(
      "The exit code of a command that was asked to do something about it.",
      z.union([z.literal(0), z.literal(1), z.literal(3), z.literal(4)]),
    ),
  }),
);

export const mattersList = jsonListOf("What needs a person, the most serious first.", MatterJson);

export type MatterOutput = z.infer<typeof MatterJson>;

export const environmentField = textOrNull("The environment. Null if it is not known.");

export const state = documented(
  "The state that was read.",
  z.strictObject({
    id: textOrNull("The id of the state. Null if there is none yet."),
    serial: jsonCount("How many events the state has."),
  }),
);

export const waitsFor = z.optional(
  jsonListOf("The menus that this one waits for, because their ids are not known yet.", WaitsFor),
);

/** How many changes of a plan have each action. */
export const ActionCounts = z.strictObject({
  record: z.optional(z.int()),
  create: z.int(),
  update: z.int(),
  replace: z.int(),
  bind: z.int(),
  delete: z.int(),
  move: z.int(),
  reword: z.int(),
  forget: z.int(),
  restore: z.int(),
  waiting: z.int(),
  missing: z.int(),
  drift: z.int(),
  blocked: z.int(),
  unknown: z.int(),
});

export const ActionJson = shared("action", "What is done about a menu.", z.keyof(ActionCounts));

/** How many of these names each field of an object of numbers has. */
export function counted<T extends z.ZodMiniObject>(
  counts: T,
  names: readonly string[],
): z.infer<T> {
  const all = Object.keys(counts.shape);
  return counts.parse(
    Object.fromEntries(
      all.flatMap((name) => {
        const count = names.filter((other) => other === name).length;
        const isLeftOut = count === 0 && counts.shape[name] instanceof z.ZodMiniOptional;
        return isLeftOut ? [] : [[name, count]];
      }),
    ),
  );
}

/** A phone number that points to a menu after apply. */
export const binding = {
  number: jsonText("The phone number."),
  id: jsonText("The id of the number on the service."),
  before: documented("What it points to before. Null for nothing.", z.nullable(DestinationSchema)),
  after: documented("What it points to after.", z.nonoptional(DestinationSchema)),
};

export type WaitsFor = z.infer<typeof WaitsFor>;
