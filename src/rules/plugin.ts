/**
 * What a module under `rules: { plugins: [...] }` exports by default: rules of a
 * project's own. A rule `greeting` of the plugin `house` is called `house/greeting`.
 */
export interface RulePlugin {
  /** Small letters, digits and `-`. */
  readonly name: string;
  readonly rules: Readonly<Record<string, HouseRule>>;
}

export interface HouseRule<O extends HouseOptions = HouseOptions> {
  /** How grave a finding is unless `rules:` says otherwise; `warn` if nothing is said here. */
  readonly severity?: "error" | "warn" | "info" | "off";
  /** What it asks for, in a sentence. */
  readonly about?: string;
  /** What can be set in `rules:`, each with its value unless it is. */
  readonly options?: O;
  /**
   * Called once for every menu that is otherwise sound. It must be done when it
   * returns; what it is given cannot be changed.
   */
  check(menu: HouseMenu, context: HouseContext<O>): void;
}

export type HouseOptions = Readonly<Record<string, HouseOption>>;
export type HouseOption = string | number | boolean | readonly string[];

export interface HouseContext<O extends HouseOptions = HouseOptions> {
  readonly options: { readonly [K in keyof O]: Widened<O[K]> };
  /** The agent list that names were turned into extensions with. */
  readonly agents: readonly HouseAgent[];
  report(finding: HouseFinding): void;
}

type Widened<V> = V extends number
  ? number
  : V extends boolean
    ? boolean
    : V extends string
      ? string
      : readonly string[];

export interface HouseFinding {
  /** One of the places that the menu comes with. */
  readonly at: Place;
  readonly message: string;
  /** How to mend it. */
  readonly hint?: string;
}

declare const place: unique symbol;

/** A token in a file. It says nothing by itself: it is for `report`. */
export interface Place {
  readonly [place]: never;
}

/** A menu with its defaults filled in and every reference settled. */
export interface HouseMenu {
  readonly key: string;
  /** The top of the menu. */
  readonly at: Place;
  readonly name: HouseText;
  readonly description: HouseText;
  readonly recording: HouseRecording;
  /** In the order written. */
  readonly options: readonly HouseMenuOption[];
  /** The word `options`. */
  readonly optionsAt: Place;
  readonly invalid: {
    readonly retries: HouseText;
    readonly recording: HouseRecording;
    readonly destination: HouseDestination;
  };
  readonly timeout: {
    readonly wait: HouseText;
    readonly retries: HouseText;
    readonly retryRecording: HouseRecording;
    readonly recording: HouseRecording;
    readonly destination: HouseDestination;
  };
}

export interface HouseText {
  /** As written: counts and waits are digits. */
  readonly value: string;
  readonly at: Place;
}

export interface HouseRecording {
  readonly id: string;
  /** Undefined where the menu gives the id itself. */
  readonly alias: string | undefined;
  /** What it says and how long it is, where `recordings:` tells. */
  readonly says: string | undefined;
  readonly seconds: number | undefined;
  readonly at: Place;
}

export interface HouseMenuOption {
  /** As it is sent: `1`, `*`. */
  readonly key: string;
  readonly keyAt: Place;
  /** What the caller is told the key is for. */
  readonly for: HouseText | undefined;
  /** The id of its SMS template. */
  readonly sms: string | undefined;
  readonly destination: HouseDestination;
}

export interface HouseDestination {
  /** `extension`, or another kind that the project allows. */
  readonly kind: string;
  /** The extension id, or the id of another kind. */
  readonly id: string;
  /** Undefined for another kind than `extension`. */
  readonly agent: HouseAgent | undefined;
  readonly at: Place;
}

export interface HouseAgent {
  readonly id: string | null;
  readonly name: string;
  readonly eid: string | null;
  readonly intercom: string | null;
  readonly team: string | null;
  readonly departments: readonly string[];
  readonly blocked: boolean;
}
