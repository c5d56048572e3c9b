import type { Fields, FieldsOf, OptionalField } from "../schema/fields.ts";

/**
 * A plugin: the default export of a module that `rules: { plugins: [...] }` names. It contains the
 * custom rules of a project. The rule `greeting` of the plugin `acme` is called `acme/greeting`.
 */
export interface RulePlugin {
  /** Lowercase letters, digits and `-`. */
  readonly name: string;
  readonly rules: Readonly<Record<string, CustomRule>>;
}

/** A rule that checks one menu at a time. */
export interface CustomRule<O extends CustomOptions = CustomOptions> {
  /** The severity unless `rules:` sets a different one. Default: `warn`. */
  readonly severity?: "error" | "warn" | "info" | "off";
  /** What the rule requires, in one sentence. */
  readonly about?: string;
  /** The options that `rules:` can set, each with its default. */
  readonly options?: O;
  /**
   * Called once for every menu that has no other error. It cannot be asynchronous, and
   * the objects that it receives are frozen.
   */
  check(menu: CustomMenu, context: CustomContext<O>): void;
}

/** The options of a rule by name. */
export type CustomOptions = Readonly<Record<string, CustomOption>>;
/** The value of an option. */
export type CustomOption = string | number | boolean | readonly string[];

/** What a rule receives in addition to the menu. */
export interface CustomContext<O extends CustomOptions = CustomOptions> {
  /** The defaults of the rule, overridden by what `rules:` sets. */
  readonly options: { readonly [K in keyof O]: Widened<O[K]> };
  /** The agent list that agent references were resolved with. */
  readonly agents: readonly CustomAgent[];
  /** Reports a problem. */
  report(finding: CustomFinding): void;
}

type Widened<V> = V extends number
  ? number
  : V extends boolean
    ? boolean
    : V extends string
      ? string
      : readonly string[];

/** A problem that a rule reports. */
export interface CustomFinding {
  /** A place from the menu, such as `menu.name.at`. */
  readonly at: Place;
  readonly message: string;
  /** How to fix the problem. */
  readonly hint?: string;
}

declare const place: unique symbol;

/** A place in a file, to be passed to `report`. */
export interface Place {
  readonly [place]: never;
}

/**
 * A menu with defaults applied and references resolved. Its fields have their paths in a file:
 * `menu["timeout.wait"]`.
 */
export type CustomMenu = {
  readonly [P in Exclude<Own, OptionalField>]: CustomValue<P>;
} & {
  readonly [P in Extract<Own, OptionalField>]?: CustomValue<P>;
} & {
  readonly key: string;
  /** The start of the menu. */
  readonly at: Place;
  /** In the order of the file. */
  readonly options: readonly CustomMenuOption[];
  /** The place of the field name `options`. */
  readonly optionsAt: Place;
};

type Own = FieldsOf<"text" | "count" | "number" | "recording" | "destination">;
type CustomValue<P extends Own> = Fields[P]["is"] extends "recording"
  ? CustomRecording
  : Fields[P]["is"] extends "destination"
    ? CustomDestination
    : CustomText;

/** A value and its place. */
export interface CustomText {
  /** As written in the file. Counts and waits are digits. */
  readonly value: string;
  readonly at: Place;
}

/** A recording and the place of its reference. */
export interface CustomRecording {
  readonly id: string;
  /** Undefined if the menu uses the id. */
  readonly alias: string | undefined;
  /** The text of the recording, if `recordings:` gives it. */
  readonly says: string | undefined;
  /** The length of the recording, if `recordings:` gives it. */
  readonly seconds: number | undefined;
  readonly at: Place;
}

/** An option of a menu. */
export interface CustomMenuOption {
  /** The phone key as sent to the service: `1`, `*`. */
  readonly key: string;
  readonly keyAt: Place;
  /** The purpose of the option. */
  readonly for: CustomText | undefined;
  /** The id of the SMS template. */
  readonly sms: string | undefined;
  readonly destination: CustomDestination;
}

/** Where a call goes. */
export interface CustomDestination {
  /** `extension`, `menu` for a menu of the project, or a different kind that the project allows. */
  readonly kind: string;
  /** The extension id, the key of the menu, or the id for a different kind. */
  readonly id: string;
  /** Undefined unless `kind` is `extension`. */
  readonly agent: CustomAgent | undefined;
  readonly at: Place;
}

/** An agent of the agent list. */
export interface CustomAgent {
  readonly id: string | null;
  readonly name: string;
  readonly eid: string | null;
  readonly intercom: string | null;
  readonly team: string | null;
  readonly departments: readonly string[];
  readonly blocked: boolean;
}
