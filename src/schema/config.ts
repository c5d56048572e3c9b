import * as z from "zod/mini";
import { addressProblem } from "./address.ts";
import {
  between,
  checked,
  count,
  described,
  eitherSchema,
  environmentNamePattern,
  id,
  listOf,
  mapping,
  matching,
  maybe,
  maybeEmpty,
  number,
  oneOf,
  text,
  words,
} from "./common.ts";
import { wireOf } from "./fields.ts";
import { Invariants } from "./invariant.ts";
import { Defaults, OnChange } from "./menu.ts";
import { Operations, Permissions, readSettings } from "./operations.ts";
import { Rules } from "./rules.ts";
import { StateSettings } from "./state-settings.ts";
import { vars } from "./vars.ts";

const flag = (description: string) => described(z.boolean(), description);
const aliasName = matching(/^(?![0-9]+$)[\s\S]*\S/, "IVR406", "cannot be an alias", {
  description: "An alias. It cannot be all digits.",
  help: "Use a name that is not all digits.",
});

const recording = z.strictObject({
  id: id("The id of the recording."),
  says: maybe(
    words({
      description: "The words of the recording. Plans, pictures and lint rules use them.",
      examples: ["For sales, press 1. For billing, press 2."],
    }),
  ),
  seconds: maybe(
    number(/^[0-9]+(?:\.[0-9]+)?$/, "must be a number of seconds", {
      description: "The length of the recording in seconds.",
      examples: [7],
    }),
  ),
  language: maybe(
    matching(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, "IVR203", "must be a language tag", {
      description: "The language of `says`. The preview speaks the recording in it.",
      help: "Use a tag such as `en`, `hi` or `en-IN`.",
      examples: ["en-IN"],
    }),
  ),
});

const recordings = described(
  z.record(
    aliasName,
    eitherSchema([id("The id of the recording."), recording], {
      description: "The id of the recording, or `{ id, says, seconds, language }`.",
      must: "must be the id of a recording",
      examples: ["19549", { id: "19549", says: "For sales, press 1.", seconds: 7 }],
    }),
  ),
  {
    description: 'Aliases of recordings, for example `welcome: "19549"`. Menus use the aliases.',
    shape: "recordings",
    must: "must map aliases to recordings",
    examples: [{ welcome: "19549" }],
  },
);

const smsTemplates = described(z.record(aliasName, id("The id of the SMS template.", "77")), {
  description: 'Aliases of SMS templates, for example `payment-link: "77"`.',
  shape: "sms_templates",
  must: "must map aliases to SMS templates",
  examples: [{ "payment-link": "77" }],
});

const wire = mapping(
  {
    numbers: maybe(
      oneOf(
        ["string", "number"],
        "The JSON type of `timeout`, `timeout_tries`, `incorrect_count` and the option keys. Default: string.",
      ),
    ),
    plain_recordings: maybe(
      listOf(oneOf(wireOf("recording"), "A field of the payload with a recording."), {
        description:
          "Fields of the payload that get the id of the recording alone, without `recording||`.",
        examples: [["recording"]],
      }),
    ),
    no_sms_template: maybe(
      described(z.string(), {
        description:
          "The value for an option without an SMS template, if another option has one. Default: an empty text.",
        numeric: true,
        examples: ["0"],
      }),
    ),
    ...readSettings,
  },
  {
    description: "How payloads are encoded where the documentation of the service leaves a choice.",
    shape: "wire",
    examples: [{ numbers: "number" }],
  },
);

const tokenHelp =
  "Write `token: ${TELEPHONY_TOKEN}`, or `token: { command: [print-token] }`. Change the token if it was committed.";

const token = (description: string) =>
  eitherSchema(
    [
      matching(
        /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/,
        "IVR404",
        "must come from a variable or a command",
        {
          description: "The environment variable with the token, for example `${TELEPHONY_TOKEN}`.",
          exact: true,
          help: tokenHelp,
        },
      ),
      z.strictObject({
        command: described(
          z
            .array(words({ description: "A word of the command.", examples: ["print-token"] }))
            .check(z.minLength(1)),
          {
            description:
              "A command that prints the token, as a list of words. It runs without a shell.",
            examples: [["pass", "show", "telephony"]],
          },
        ),
      }),
    ],
    {
      description,
      must: "must come from a variable or a command",
      help: tokenHelp,
    },
  );

const baseUrl = checked(
  text({
    description: "The address of the service: https, or http on this machine.",
    examples: ["https://telephony.example/api"],
    pattern: "^[Hh][Tt][Tt][Pp][Ss]?:",
    mismatch: "This must be an address that starts with https://.",
  }),
  addressProblem,
);

const serviceFields = {
  timeout: maybe(
    between(0.001, 3600, "number", "Seconds until a request times out. Default: 30.", 30),
  ),
  concurrency: maybe(
    between(
      1,
      1000,
      "whole number",
      "The largest number of requests at the same time. Default: 4.",
      4,
    ),
  ),
  requests_per_second: maybe(
    between(
      0.001,
      1_000_000,
      "number",
      "The largest number of requests per second. Default: no limit.",
      5,
    ),
  ),
};

/** A service whose variables are replaced. Its token is read only when it is needed. */
export const HttpService = z.strictObject({ base_url: baseUrl, ...serviceFields });

const service = eitherSchema(
  [
    described(
      z.literal("sandbox"),
      "The embedded service for trying things out. Nothing leaves this machine.",
    ),
    z.strictObject({
      base_url: baseUrl,
      token: token(
        "The access token. It comes from a variable or a command and must never be written here.",
      ),
      read_token: maybe(
        token(
          "A second token, which can only read. In a pipeline, pull requests and the scheduled check use it instead of `token`.",
        ),
      ),
      ...serviceFields,
    }),
  ],
  {
    description:
      "The service on which menus are created: `sandbox`, or a mapping with `base_url` and `token`.",
    must: "must be `sandbox`, or a mapping with `base_url` and `token`",
    examples: [
      "sandbox",
      { base_url: "https://telephony.example/api", token: "${TELEPHONY_TOKEN}" },
    ],
  },
);

const settings = {
  wire: maybe(wire),
  on_change: maybe(OnChange),
  sms_templates_enabled: maybe(flag("Whether the account has SMS templates.")),
  max_creates: maybe(
    count(
      "The largest number of menus that one plan may create or replace. A larger plan is refused.",
      20,
    ),
  ),
};

export const environment = mapping(
  {
    service: maybe(service),
    operations: maybe(Operations),
    allow: maybe(Permissions),
    state: maybe(StateSettings),
    recordings: maybe(recordings),
    sms_templates: maybe(smsTemplates),
    vars: maybe(vars),
    ...settings,
  },
  {
    description: "An environment: one account on the service, and settings that apply only there.",
    examples: [{ service: "sandbox" }],
  },
);

const environmentName = matching(
  environmentNamePattern,
  "IVR406",
  "cannot be the name of an environment",
  {
    description: "The name of an environment.",
    help: "Use letters, digits, `.`, `_` and `-`. The name cannot be `.` or `..`.",
  },
);

/** The settings of an environment. */
export type EnvironmentSettings = z.infer<typeof environment>;

/** The file ivrctl.yaml. */
export const Config = mapping(
  {
    version: described(z.literal("1"), {
      description: "The version of the format: 1.",
      numeric: true,
      examples: [1],
    }),
    default_environment: maybe(
      words({
        description: "The environment to use if neither --env nor IVRCTL_ENV is given.",
        examples: ["sandbox"],
      }),
    ),
    defaults: maybe(
      described(Defaults, {
        description: "Fields for all menus. A menu can override each of them.",
        examples: [{ invalid: { retries: 2, recording: "not-valid", destination: "Front Desk" } }],
      }),
    ),
    recordings: maybe(recordings),
    sms_templates: maybe(smsTemplates),
    vars: maybe(vars),
    rules: maybe(Rules),
    invariants: maybe(Invariants),
    environments: described(z.record(environmentName, maybeEmpty(environment)), {
      description:
        "The environments that menus are applied to, for example `sandbox: { service: sandbox }`.",
      must: "must map names to environments",
      examples: [{ sandbox: { service: "sandbox" } }],
    }),
    ...settings,
  },
  { description: "The configuration of an ivrctl project: ivrctl.yaml.", extensions: true },
);

/** The valid parts of a configuration. */
export const ConfigDraft = z.partial(Config);
export type ConfigDraft = z.infer<typeof ConfigDraft>;
