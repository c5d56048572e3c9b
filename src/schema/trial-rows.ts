/** What a service did about an assumption, as far as a trial could see. */
type Verdict = "confirmed" | "different" | "not seen";

/** A value for the environment in ivrctl.yaml, and its path there. */
export interface TrialSetting {
  readonly path: readonly string[];
  readonly value: string | readonly string[];
}

/** What a trial saw about a row. */
export interface Finding {
  readonly verdict: Verdict;
  /** How the service differs. */
  readonly seen?: string;
  /** What corrects it. */
  readonly setting?: TrialSetting;
}
export type Findings = ReadonlyMap<TrialRowId, Finding>;

interface TrialRow {
  /** What is not certain. */
  readonly open: string;
  /** What ivrctl assumes. */
  readonly assumes: string;
  /** How to change that, in Markdown. Empty if nothing does. */
  readonly change: string;
  /** What a person sees on the console. `{…}` is filled in. */
  readonly question?: string;
  /** The setting that may help if the service refuses a menu with such a message. */
  readonly help?: {
    readonly refusal: RegExp;
    readonly path: readonly ["wire", "final_recording" | "plain_recordings" | "numbers"];
    readonly value: string | readonly string[];
  };
}

/**
 * The assumptions about a service that `ivrctl trial` checks. docs/assumptions.md shows the same table. The
 * sandbox has a quirk for each row without a question. A refusal is matched in this order.
 */
const trialRows = {
  created: {
    open: "whether a reported success means that the menu exists",
    assumes: "yes",
    change: "[`ivrctl state resolve`](unknown-outcomes.md)",
  },
  "final-recording": {
    open: "whether a menu needs `recording_invalid`",
    assumes: "no, unless `wire:` or the vendor's profile says so",
    change: "`wire: { final_recording: required }`",
    help: { refusal: /recording_invalid/, path: ["wire", "final_recording"], value: "required" },
  },
  "plain-recordings": {
    open: "how recordings are written in fields other than `recording`",
    assumes: "`recording\\|\\|ID` in all of them",
    change: "`wire: { plain_recordings: [invalid_recording, …] }`",
    help: {
      refusal: /(?:invalid|timeout|retry)_recording/,
      path: ["wire", "plain_recordings"],
      value: [
        "invalid_recording",
        "recording_invalid",
        "timeout_retry_recording",
        "timeout_recording",
      ],
    },
  },
  numbers: {
    open: "whether numbers are sent as text or as numbers",
    assumes: "text",
    change: "`wire: { numbers: number }`",
    help: { refusal: /number|integer|numeric/i, path: ["wire", "numbers"], value: "number" },
  },
  list: {
    open: "whether the service lists menus",
    assumes: "only if `operations:` or the vendor's profile says so",
    change: "`operations: [list]`",
  },
  late: {
    open: "how long until a new menu is in the list",
    assumes: "a few seconds: apply looks at once, and the next plan looks again",
    change: "",
  },
  names: {
    open: "which menu in the list is the new one",
    assumes: "the only new one with its name and content",
    change: "`ivrctl state resolve KEY=ID --created`",
  },
  positions: {
    open: "how options and destinations belong together",
    assumes: "by position",
    change: "",
  },
  kinds: {
    open: "the names of destination kinds in the list of menus",
    assumes: "as in a payload, except `ringgroup` for `department`",
    change: "`wire: { read_kinds: { ivr: ivrmenu } }`",
  },
  retries: {
    open: "which field `timeout_retries` in the list shows, if both were sent",
    assumes: "`timeout_tries`",
    change: "`wire: { read_retries: timeout_retries }`",
  },
  fields: {
    open: "whether the list shows the other fields as they were sent",
    assumes: "yes; another value was set on the console",
    change: "leave out `list`",
  },
  updates: {
    open: "whether an update changes every field",
    assumes: "yes",
    change: "leave out `update`",
  },
  deletes: {
    open: "whether a deleted menu is gone at once",
    assumes: "yes, as soon as the list doesn't show it",
    change: "leave out `delete`",
  },
  "text-type": {
    open: "whether a recording is made from a text",
    assumes: "yes, with the `type` and `voice` of `speech:`",
    change: "`speech: { type, voice, extra }`",
  },
  wait: {
    open: "the unit of `timeout`",
    assumes: "seconds; ivrctl sends `wait` as written",
    change: "write it in the service's unit, and set the rule `wait-out-of-range`",
    question: "Does the menu wait 7 seconds for a key?",
  },
  counts: {
    open: "the meaning of `incorrect_count` and `timeout_tries`",
    assumes: "how often a caller may try again",
    change: "",
    question: "Does it ask again once after a wrong key, and twice after a silence?",
  },
  "last-key": {
    open: "the meaning of `recording_invalid`",
    assumes: "it plays after the last wrong key",
    change: "leave out `invalid.final_recording`",
    question: "Does {final} play after the last wrong key?",
  },
  number: {
    open: "whether a phone number can point to a new menu",
    assumes: "yes",
    change: "",
    question: "Can you choose the menu as the destination of a phone number? Do not save it.",
  },
} as const satisfies Readonly<Record<string, TrialRow>>;

export type TrialRowId = keyof typeof trialRows;

/** The rows in their order. */
export const trialTable: readonly (readonly [TrialRowId, TrialRow])[] = Object.entries<TrialRow>(
  trialRows,
).flatMap(([id, row]) => (isRow(id) ? [[id, row] as const] : []));

function isRow(id: string): id is TrialRowId {
  return Object.hasOwn(trialRows, id);
}

/** The ways in which the sandbox can deviate, one for each row that needs no person. */
const trialQuirks = [
  "created",
  "final-recording",
  "plain-recordings",
  "numbers",
  "list",
  "late",
  "names",
  "positions",
  "kinds",
  "retries",
  "fields",
  "updates",
  "deletes",
  "text-type",
] as const satisfies readonly TrialRowId[];
/** With those for what nobody documents about recordings from texts. */
export const quirkNames = [
  ...trialQuirks,
  "no-batch",
  "never-ready",
  "record-fails",
  "recordings-unlisted",
] as const;
export type QuirkName = (typeof quirkNames)[number];
