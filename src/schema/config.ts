import * as z from "zod/mini";
import {
  bucketPattern,
  bucketRule,
  encryptions,
  kmsKeyPattern,
  kmsKeyRule,
  prefixPattern,
  prefixRule,
  regionPattern,
  regionRule,
} from "./bucket.ts";
import {
  count,
  described,
  either,
  environmentNamePattern,
  id,
  listOf,
  mapping,
  matching,
  maybe,
  oneOf,
  text,
  words,
} from "./common.ts";
import { schemaNamePattern, schemaNameRule } from "./database-address.ts";
import { branchPattern, branchRule, remotePattern, remoteRule } from "./git-branch.ts";
import { Invariants } from "./invariant.ts";
import { Defaults, OnChange } from "./menu.ts";
import { Rules } from "./rules.ts";

const flag = (description: string) => described(z.boolean(), description);
const positive = (description: string) =>
  matching(/^(?=.*[1-9])[0-9]+(?:\.[0-9]+)?$/, "IVR205", "must be a number above 0", {
    description,
    numeric: true,
  });
const positiveWhole = (description: string) =>
  matching(/^0*[1-9][0-9]*$/, "IVR205", "must be a whole number from 1, digits only", {
    description,
    numeric: true,
  });

const aliasName = matching(
  /^(?![0-9]+$)(?![\s\S]*\|\|)[\s\S]*\S/,
  "IVR405",
  "must not be all digits and not hold `||`",
  "An alias: not all digits, and without `||`.",
);

const recording = z.strictObject({
  id: id("The recording's id."),
  says: maybe(words("What the recording says, word for word, for review, pictures and lint.")),
  seconds: maybe(
    matching(/^[0-9]+(?:\.[0-9]+)?$/, "IVR205", "must be a number of seconds", {
      description: "How long the recording is, in seconds.",
      numeric: true,
    }),
  ),
});

const recordings = described(
  z.record(
    aliasName,
    either([id("The recording's id."), recording], "The recording's id, or { id, says, seconds }."),
  ),
  { description: "Names for recordings, with what they say.", shape: "recordings" },
);

const smsTemplates = described(z.record(aliasName, id("The SMS template's id.")), {
  description: "Names for SMS templates.",
  shape: "sms_templates",
});

export const recordingWireFields = [
  "recording",
  "invalid_recording",
  "timeout_retry_recording",
  "timeout_recording",
  "recording_invalid",
] as const;
export type WireField = (typeof recordingWireFields)[number];

const wire = mapping(
  {
    numbers: maybe(
      oneOf(
        ["string", "number"],
        "How timeout, timeout_tries, incorrect_count and option keys are sent: as strings (unless given) or as numbers.",
      ),
    ),
    plain_recordings: maybe(
      listOf(
        oneOf(recordingWireFields, "A wire field that holds a recording."),
        "Wire fields that get the bare recording id.",
      ),
    ),
    no_sms_template: maybe(
      described(z.string(), {
        description:
          "Sent for an option without an SMS template, where others have one; empty unless given.",
        numeric: true,
      }),
    ),
    destination_kinds: maybe(
      listOf(
        matching(/^[^\s|]+$/, "IVR206", "must be a word without spaces and `|`", {
          description: "A destination kind.",
          numeric: true,
        }),
        "Destination kinds allowed beside extension.",
      ),
    ),
  },
  {
    description: "How payloads are written where the service's document leaves a choice.",
    shape: "wire",
  },
);

const token = either(
  [
    matching(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/, "IVR404", "must be ${NAME} or { command: [...] }", {
      description: "Only ever ${NAME}.",
      exact: true,
    }),
    z.strictObject({
      command: described(
        z.array(words("A word of the command.")).check(z.minLength(1)),
        "Prints the token; run without a shell.",
      ),
    }),
  ],
  "The access token: from the environment or a command, never written here.",
);

const service = either(
  [
    described(z.literal("sandbox"), "The embedded service: nothing leaves this machine."),
    z.strictObject({
      base_url: words("The service's address; https, or http on loopback."),
      token,
      timeout: maybe(positive("Seconds per request; 30 unless given.")),
      concurrency: maybe(positiveWhole("Creates in flight; 4 unless given.")),
      requests_per_second: maybe(positive("A limit on the rate of requests; none unless given.")),
    }),
  ],
  "Where menus are created.",
);

const stateText = (pattern: RegExp, rule: string, description: string) =>
  maybe(matching(pattern, "IVR422", rule, description));

const state = mapping(
  {
    backend: oneOf(
      ["file", "postgres", "s3", "git"],
      "`file`: under .ivrctl/ in the project. `postgres`: in a PostgreSQL database, for all runs to see. `s3`: in an object store, the same. `git`: on a branch of the repository.",
    ),
    url: maybe(text("postgres: the database's address, ${NAME} where it holds a password.")),
    schema: stateText(
      schemaNamePattern,
      schemaNameRule,
      "postgres: the schema of the state's tables; `ivrctl` unless given.",
    ),
    bucket: stateText(bucketPattern, bucketRule, "s3: the bucket that holds the state."),
    prefix: stateText(
      prefixPattern,
      prefixRule,
      "s3: what the names of all objects begin with; nothing unless given.",
    ),
    region: stateText(
      regionPattern,
      regionRule,
      "s3: the bucket's region; AWS_REGION unless given.",
    ),
    endpoint: maybe(
      text("s3: the store's address, where it is not Amazon's; https, or http on loopback."),
    ),
    encryption: maybe(
      oneOf(
        encryptions,
        "s3: how the store encrypts each object; as the bucket is set unless given.",
      ),
    ),
    kms_key: stateText(
      kmsKeyPattern,
      kmsKeyRule,
      "s3: the key for `encryption: aws:kms` or `aws:kms:dsse`.",
    ),
    remote: stateText(
      remotePattern,
      remoteRule,
      "git: the remote with the branch, by name or address. Default: `origin`.",
    ),
    branch: stateText(
      branchPattern,
      branchRule,
      "git: the start of the branch's name, before `-` and the environment. Default: `ivrctl-state`.",
    ),
    batch: maybe(
      positiveWhole(
        "git: how many creates share a push. Default: 4. More creates need fewer pushes.",
      ),
    ),
    path_style: maybe(
      flag(
        "s3: whether the bucket's name stands in the path instead of the host; true where an endpoint is given.",
      ),
    ),
  },
  "Where the record of what was created is kept.",
);

const settings = {
  wire: maybe(wire),
  on_change: maybe(OnChange),
  sms_templates_enabled: maybe(flag("Whether the account has SMS templates switched on.")),
  max_creates: maybe(count("Refuse a plan with more creates than this, replaces included.")),
};

const environment = mapping(
  {
    service: maybe(service),
    state: maybe(state),
    recordings: maybe(recordings),
    sms_templates: maybe(smsTemplates),
    ...settings,
  },
  "One account or deployment.",
);

const environmentName = matching(
  environmentNamePattern,
  "IVR406",
  "must be letters, digits, `.`, `_` and `-`, and neither `.` nor `..`",
  "An environment's name.",
);

/** ivrctl.yaml. */
export const Config = mapping(
  {
    version: described(z.literal("1"), { description: "The format's version: 1.", numeric: true }),
    default_environment: maybe(words("Used when neither --env nor IVRCTL_ENV is given.")),
    defaults: maybe(described(Defaults, "What every menu has unless it says otherwise.")),
    recordings: maybe(recordings),
    sms_templates: maybe(smsTemplates),
    rules: maybe(Rules),
    invariants: maybe(Invariants),
    environments: described(
      z.record(environmentName, z.nullable(environment)),
      "The accounts and deployments menus are applied to.",
    ),
    ...settings,
  },
  "The configuration of an ivrctl project.",
);
