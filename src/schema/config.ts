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
  environmentNamePattern,
  forEditors,
  id,
  matching,
  maybe,
  text,
  words,
} from "./common.ts";
import { schemaNamePattern, schemaNameRule } from "./database-address.ts";
import { Invariants } from "./invariant.ts";
import { Defaults, OnChange } from "./menu.ts";
import { Rules } from "./rules.ts";

const aliasName = matching(
  /^(?![0-9]+$)(?![\s\S]*\|\|)[\s\S]*\S/,
  "IVR405",
  "must not be all digits and not hold `||`",
  { description: "An alias: not all digits, and without `||`." },
);

const recordings = z
  .record(
    aliasName,
    z
      .union([
        id("The recording's id."),
        z.strictObject({
          id: id("The recording's id."),
          says: maybe(
            words({
              description: "What the recording says, word for word, for review, pictures and lint.",
            }),
          ),
          seconds: maybe(
            matching(/^[0-9]+(?:\.[0-9]+)?$/, "IVR205", "must be a number of seconds", {
              description: "How long the recording is, in seconds.",
              numeric: true,
            }),
          ),
        }),
      ])
      .register(forEditors, { description: "The recording's id, or { id, says, seconds }." }),
  )
  .register(forEditors, {
    description: "Names for recordings, with what they say.",
    shape: "recordings",
  });

const smsTemplates = z
  .record(aliasName, id("The SMS template's id."))
  .register(forEditors, { description: "Names for SMS templates.", shape: "sms_templates" });

export const recordingWireFields = [
  "recording",
  "invalid_recording",
  "timeout_retry_recording",
  "timeout_recording",
  "recording_invalid",
] as const;

const wire = z
  .strictObject({
    numbers: maybe(
      z.enum(["string", "number"]).register(forEditors, {
        description:
          "How timeout, timeout_tries, incorrect_count and option keys are sent: as strings (unless given) or as numbers.",
      }),
    ),
    plain_recordings: maybe(
      z
        .array(
          z
            .enum(recordingWireFields)
            .register(forEditors, { description: "A wire field that holds a recording." }),
        )
        .register(forEditors, { description: "Wire fields that get the bare recording id." }),
    ),
    no_sms_template: maybe(
      z.string().register(forEditors, {
        description:
          "Sent for an option without an SMS template, where others have one; empty unless given.",
        numeric: true,
      }),
    ),
    destination_kinds: maybe(
      z
        .array(
          matching(/^[^\s|]+$/, "IVR206", "must be a word without spaces and `|`", {
            description: "A destination kind.",
            numeric: true,
          }),
        )
        .register(forEditors, { description: "Destination kinds allowed beside extension." }),
    ),
  })
  .register(forEditors, {
    description: "How payloads are written where the service's document leaves a choice.",
    shape: "wire",
  });

const flag = (description: string) => z.boolean().register(forEditors, { description });
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

const service = z
  .union([
    z
      .literal("sandbox")
      .register(forEditors, { description: "The embedded service: nothing leaves this machine." }),
    z.strictObject({
      base_url: words({ description: "The service's address; https, or http on loopback." }),
      token: z
        .union([
          matching(
            /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/,
            "IVR404",
            "must be ${NAME} or { command: [...] }",
            {
              description: "Only ever ${NAME}.",
              exact: true,
            },
          ),
          z.strictObject({
            command: z
              .array(words({ description: "A word of the command." }))
              .check(z.minLength(1))
              .register(forEditors, { description: "Prints the token; run without a shell." }),
          }),
        ])
        .register(forEditors, {
          description: "The access token: from the environment or a command, never written here.",
        }),
      timeout: maybe(positive("Seconds per request; 30 unless given.")),
      concurrency: maybe(positiveWhole("Creates in flight; 4 unless given.")),
      requests_per_second: maybe(positive("A limit on the rate of requests; none unless given.")),
    }),
  ])
  .register(forEditors, { description: "Where menus are created." });

const settings = {
  wire: maybe(wire),
  on_change: maybe(OnChange),
  sms_templates_enabled: maybe(flag("Whether the account has SMS templates switched on.")),
  max_creates: maybe(count("Refuse a plan with more creates than this, replaces included.")),
};

const environment = z
  .strictObject({
    service: maybe(service),
    state: maybe(
      z
        .strictObject({
          backend: z.enum(["file", "postgres", "s3"]).register(forEditors, {
            description:
              "`file`: under .ivrctl/ in the project. `postgres`: in a PostgreSQL database, for all runs to see. `s3`: in an object store, the same.",
          }),
          url: maybe(
            text({
              description: "postgres: the database's address, ${NAME} where it holds a password.",
            }),
          ),
          schema: maybe(
            matching(schemaNamePattern, "IVR422", schemaNameRule, {
              description: "postgres: the schema of the state's tables; `ivrctl` unless given.",
            }),
          ),
          bucket: maybe(
            matching(bucketPattern, "IVR422", bucketRule, {
              description: "s3: the bucket that holds the state.",
            }),
          ),
          prefix: maybe(
            matching(prefixPattern, "IVR422", prefixRule, {
              description: "s3: what the names of all objects begin with; nothing unless given.",
            }),
          ),
          region: maybe(
            matching(regionPattern, "IVR422", regionRule, {
              description: "s3: the bucket's region; AWS_REGION unless given.",
            }),
          ),
          endpoint: maybe(
            text({
              description:
                "s3: the store's address, where it is not Amazon's; https, or http on loopback.",
            }),
          ),
          encryption: maybe(
            z.enum(encryptions).register(forEditors, {
              description:
                "s3: how the store encrypts each object; as the bucket is set unless given.",
            }),
          ),
          kms_key: maybe(
            matching(kmsKeyPattern, "IVR422", kmsKeyRule, {
              description: "s3: the key for `encryption: aws:kms` or `aws:kms:dsse`.",
            }),
          ),
          path_style: maybe(
            flag(
              "s3: whether the bucket's name stands in the path instead of the host; true where an endpoint is given.",
            ),
          ),
        })
        .register(forEditors, { description: "Where the record of what was created is kept." }),
    ),
    recordings: maybe(recordings),
    sms_templates: maybe(smsTemplates),
    ...settings,
  })
  .register(forEditors, { description: "One account or deployment." });

/** ivrctl.yaml. */
export const Config = z
  .strictObject({
    version: z
      .literal("1")
      .register(forEditors, { description: "The format's version: 1.", numeric: true }),
    default_environment: maybe(
      words({ description: "Used when neither --env nor IVRCTL_ENV is given." }),
    ),
    defaults: maybe(
      Defaults.register(forEditors, {
        description: "What every menu has unless it says otherwise.",
      }),
    ),
    recordings: maybe(recordings),
    sms_templates: maybe(smsTemplates),
    rules: maybe(Rules),
    invariants: maybe(Invariants),
    environments: z
      .record(
        matching(
          environmentNamePattern,
          "IVR406",
          "must be letters, digits, `.`, `_` and `-`, and neither `.` nor `..`",
          { description: "An environment's name." },
        ),
        z.nullable(environment),
      )
      .register(forEditors, { description: "The accounts and deployments menus are applied to." }),
    ...settings,
  })
  .register(forEditors, { description: "The configuration of an ivrctl project." });

export type WireField = (typeof recordingWireFields)[number];
