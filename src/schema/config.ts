import * as z from "zod/mini";
import { addressProblem } from "../util/address.ts";
import {
  type FieldMeta,
  between,
  address,
  count,
  described,
  unionOf,
  environmentNamePattern,
  flag,
  id,
  listOf,
  mapping,
  matching,
  number,
  oneOf,
  optional,
  vars,
  words,
} from "./field-types.ts";
import { wireOf } from "./fields.ts";
import { Invariants } from "./invariant.ts";
import { Defaults, OnChange, neverDefault } from "./menu.ts";
import { Operations, Permissions, kindWord, readSettings } from "./operations.ts";
import { Rules } from "./rules.ts";
import { StateSettingsSchema } from "./store-settings.ts";
import { quirkNames } from "./trial-rows.ts";
import { vendorAt, vendorNames } from "./vendors.ts";
import { speech } from "./speech.ts";

const aliasName = matching(
  /^(?![0-9]+$)[\s\S]*\S/,
  "IVR406",
  "cannot be an alias",
  "An alias. It cannot be all digits.",
  undefined,
  { help: "Use a name that is not all digits." },
);

const recording = mapping(
  optional({
    id: id("The id of the recording."),
    name: words(
      "What the service calls the recording, if it is not the alias. `ivrctl agents pull` saves the names.",
      "Welcome IVR",
    ),
    says: words(
      "The words of the recording. Plans, pictures and lint rules use them.",
      "For sales, press 1. For billing, press 2.",
    ),
    seconds: number(
      /^[0-9]+(?:\.[0-9]+)?$/,
      "must be a number of seconds",
      "The length of the recording in seconds.",
      7,
    ),
    language: matching(
      /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/,
      "IVR203",
      "must be a language tag",
      "The language of `says`. The preview speaks the recording in it.",
      "en-IN",
      { help: "Use a tag such as `en`, `hi` or `en-IN`." },
    ),
    audio_url: matching(
      /^https:\/\/[^\s/]+\/\S+$/,
      "IVR203",
      "must be an address that starts with https://",
      "The public address of an audio file, from which apply makes the recording if it has no id (`operations: [record]`).",
      "https://example.com/prompts/welcome.wav",
    ),
  }),
  { when: [{ field: "id", never: ["name"] }] },
);

const recordings = described(
  z.record(
    aliasName,
    unionOf([id("The id of the recording."), recording], {
      description:
        "The id of the recording, or `{ id, says, seconds, language }`. Without `id`, the alias is what the service calls the recording.",
      must: "must be the id of a recording",
      examples: ["19549", { id: "19549", says: "For sales, press 1.", seconds: 7 }],
    }),
  ),
  'Aliases of recordings, for example `welcome: "19549"`. Menus use the aliases.',
  { welcome: "19549" },
  { shape: "recordings", must: "must map aliases to recordings" },
);

const destinations = described(
  z.record(
    aliasName,
    described(
      z.strictObject({
        kind: kindWord("The kind of the destination, if the service has it.", "timegroup"),
        id: id("The id of the destination.", "12"),
      }),
      "A kind of destination and its id.",
      { kind: "timegroup", id: "12" },
    ),
  ),
  'Aliases of destinations that are not people or menus, for example `night shift: { kind: timegroup, id: "12" }`. Menus use them as `{ to: night shift }`.',
  { "night shift": { kind: "timegroup", id: "12" } },
  { shape: "destinations", must: "must map aliases to destinations" },
);

const smsTemplates = described(
  z.record(aliasName, id("The id of the SMS template.", "77")),
  'Aliases of SMS templates, for example `payment-link: "77"`.',
  { "payment-link": "77" },
  { shape: "sms_templates", must: "must map aliases to SMS templates" },
);

const wire = mapping(
  {
    ...optional({
      numbers: oneOf(
        ["string", "number"],
        "The JSON type of `timeout`, `timeout_tries`, `incorrect_count` and the option keys. Default: string.",
      ),
      plain_recordings: listOf(
        oneOf(wireOf("recording"), "A field of the payload with a recording."),
        "Fields of the payload that get the id of the recording alone, without `recording||`.",
        ["recording"],
      ),
      final_recording: oneOf(
        ["required", "optional"],
        "Whether every menu is sent with `recording_invalid`. If it is required, a menu without `invalid.final_recording` sends its `invalid.recording`. Default: optional.",
      ),
      no_sms_template: described(
        z.string(),
        "The value for an option without an SMS template, if another option has one. Default: an empty text.",
        "0",
        { numeric: true },
      ),
    }),
    ...readSettings,
  },
  {
    description: "How payloads are encoded where the service's documentation leaves a choice.",
    shape: "wire",
    examples: [{ numbers: "number" }],
  },
);

const tokenRule = "must come from a variable or a command";
const tokenHelp =
  'Write `token: "${TELEPHONY_TOKEN}"`, or `token: { command: [print-token] }`. Change the token if it was committed.';

const token = (description: string) =>
  unionOf(
    [
      matching(
        /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/,
        "IVR404",
        tokenRule,
        "The environment variable with the token, for example `${TELEPHONY_TOKEN}`.",
        undefined,
        { exact: true, help: tokenHelp },
      ),
      z.strictObject({
        command: described(
          z.array(words("A word of the command.", "print-token")).check(z.minLength(1)),
          "A command that prints the token, as a list of words. It runs without a shell.",
          ["pass", "show", "telephony"],
        ),
      }),
    ],
    { description, must: tokenRule, help: tokenHelp },
  );

const baseUrl = address(
  addressProblem,
  "The address of the service: https, or http on this machine.",
  "https://telephony.example/api",
  {
    pattern: "^[Hh][Tt][Tt][Pp][Ss]?:",
    mismatch: "This must be an address that starts with https://.",
  },
);

const serviceFields = optional({
  timeout: between([0.001, 3600], "number", "Seconds until a request times out. Default: 30.", 30),
  concurrency: between(
    [1, 1000],
    "whole number",
    "The largest number of requests at the same time. Default: 1, or 4 for a service on this machine.",
    1,
  ),
  requests_per_second: between(
    [0.001, 1_000_000],
    "number",
    "The largest number of requests per second. Default: 2, or no limit for a service on this machine.",
    2,
  ),
});

const serviceRule = {
  someOf: ["vendor", "base_url", "sandbox"],
  lacking: {
    code: "IVR202",
    message: "The service has neither `vendor` nor `base_url`.",
    hint: "Add `vendor:` if your vendor has a profile, or `base_url:` with the address of the service.",
  },
  when: [
    { field: "sandbox", never: ["vendor", "base_url", "token", "read_token"] },
    { field: "vendor", is: "acefone", needs: ["base_url"] },
    { field: "vendor", needs: ["token"] },
    { field: "base_url", needs: ["token"] },
  ],
} as const satisfies FieldMeta;

const httpService = described(
  mapping(
    optional({
      vendor: oneOf(
        vendorNames,
        "The vendor of the service. It stands for the settings that the vendor documents, and each can be overridden.",
      ),
      sandbox: described(
        z.strictObject({
          quirks: listOf(
            oneOf(quirkNames, "A deviation from what ivrctl assumes about services."),
            "How the sandbox deviates from what ivrctl assumes, to try `ivrctl trial`.",
            ["numbers"],
          ),
        }),
        "The embedded sandbox, with quirks.",
        { quirks: ["numbers"] },
      ),
      base_url: baseUrl,
      token: token(
        "The access token. It comes from a variable or a command and must never be written here.",
      ),
      read_token: token(
        "A second token, which can only read. In a pipeline, pull requests and the scheduled check use it instead of `token`.",
      ),
      ...serviceFields,
    }),
    serviceRule,
  ).check(({ value, issues }) => {
    const { vendor, base_url: url = "" } = value;
    const other = vendorAt(url);
    if (vendor === undefined || other === undefined || other === vendor) return;
    const message = `\`base_url\` is the address of ${other}, but \`vendor\` is ${vendor}.`;
    const hint = `Remove \`base_url:\`, or write \`vendor: ${other}\`.`;
    const params = { code: "IVR407", message, hint };
    issues.push({ code: "custom", input: value, path: ["base_url"], params });
  }),
  "A real service.",
  undefined,
  serviceRule,
);

/** The service of an environment. */
export const service = unionOf(
  [
    described(
      z.literal("sandbox"),
      "The embedded service for trying things out. Nothing leaves this machine.",
    ),
    httpService,
  ],
  {
    description:
      "The service on which menus are created: `sandbox`, or a mapping with `vendor` or `base_url`, and `token`.",
    must: "must be `sandbox`, or a mapping with `vendor` or `base_url`, and `token`",
    examples: [
      "sandbox",
      { vendor: "smartflo", token: "${TELEPHONY_TOKEN}" },
      { base_url: "https://telephony.example/api", token: "${TELEPHONY_TOKEN}" },
    ],
  },
);

const settings = {
  wire,
  on_change: OnChange,
  speech,
  recording_timeout: between(
    [1, 86_400],
    "number",
    "How many seconds apply waits for recordings that it makes. Default: 600.",
    600,
  ),
  sms_templates_enabled: flag("Whether the account has SMS templates."),
  max_creates: count(
    "The largest number of menus that one plan may create or replace. A larger plan is refused.",
    20,
  ),
};

export const environment = mapping(
  optional({
    service,
    operations: Operations,
    allow: Permissions,
    state: StateSettingsSchema,
    recordings,
    destinations,
    sms_templates: smsTemplates,
    vars,
    ...settings,
  }),
  {
    description: "An environment: one account on the service, and settings that apply only there.",
    examples: [{ service: "sandbox" }],
  },
);

const environmentName = matching(
  environmentNamePattern,
  "IVR406",
  "cannot be the name of an environment",
  "The name of an environment.",
  undefined,
  { help: "Use letters, digits, `.`, `_` and `-`. The name cannot be `.` or `..`." },
);

/** The settings of an environment. */
export type EnvironmentSettings = z.infer<typeof environment>;

/** The file ivrctl.yaml. */
export const ConfigSchema = mapping(
  {
    version: described(z.literal("1"), "The version of the format: 1.", 1, { numeric: true }),
    ...optional({
      default_environment: words(
        "The environment to use if neither --env nor IVRCTL_ENV is given.",
        "sandbox",
      ),
      defaults: described(
        Defaults,
        "Fields for all menus. A menu can override each of them.",
        { invalid: { retries: 2, recording: "not-valid", destination: "Front Desk" } },
        { neverDefault },
      ),
      recordings,
      destinations,
      sms_templates: smsTemplates,
      vars,
      rules: Rules,
      invariants: Invariants,
    }),
    environments: described(
      z.record(environmentName, z.optional(environment)),
      "The environments that menus are applied to, for example `sandbox: { service: sandbox }`.",
      { sandbox: { service: "sandbox" } },
      { must: "must map names to environments" },
    ),
    ...optional(settings),
  },
  { description: "The configuration of an ivrctl project: ivrctl.yaml.", extensions: true },
);

const { version, environments } = ConfigSchema.shape;

/** The valid parts of a configuration. */
export const ConfigDraft = z.strictObject({
  ...ConfigSchema.shape,
  ...optional({ version, environments }),
});
export type ConfigDraft = z.infer<typeof ConfigDraft>;
