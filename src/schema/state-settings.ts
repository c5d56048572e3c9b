import { backendConditions } from "./backends.ts";
import { bucketTextPattern, bucketTextRule, encryptions } from "./bucket.ts";
import { flag, instruction, mapping, matching, oneOf, optional, text } from "./common.ts";
import { schemaNamePattern, schemaNameRule } from "./database-address.ts";
import { branchPattern, branchRule, remotePattern, remoteRule } from "./git-branch.ts";

/** The store itself checks the rest. */
const bucketText = (description: string, example: string) =>
  matching(bucketTextPattern, "IVR407", bucketTextRule, description, example);

const stateText = (
  pattern: RegExp,
  must: string,
  rule: string,
  description: string,
  example: string,
) => matching(pattern, "IVR407", must, description, example, { help: instruction(rule) });

/** The settings of a store. */
const store = optional({
  backend: oneOf(
    ["file", "git", "postgres", "s3"],
    "Where the state is stored. `file`: in the folder .ivrctl of the project. `git`: on a branch of the repository. `postgres` or `s3`: in a database or an object store that all runs share. Default: file.",
  ),
  url: text(
    "For `postgres`: the address of the database. If it has a password, write `${NAME}`.",
    "${STATE_URL}",
  ),
  schema: stateText(
    schemaNamePattern,
    "must be the name of a schema",
    schemaNameRule,
    "For `postgres`: the schema with the tables of the state. Default: ivrctl.",
    "ivrctl",
  ),
  bucket: bucketText("For `s3`: the bucket with the state.", "acme-ivr-state"),
  prefix: bucketText("For `s3`: the start of the names of all objects. Default: none.", "team/ivr"),
  region: bucketText("For `s3`: the region of the bucket. Default: AWS_REGION.", "eu-west-1"),
  endpoint: text(
    "For `s3`: the address of the store, if it is not Amazon S3. It must be https, or http on this machine.",
    "https://storage.example",
  ),
  encryption: oneOf(
    encryptions,
    "For `s3`: how the store encrypts objects. Default: the setting of the bucket.",
  ),
  kms_key: bucketText(
    "For `s3`: the KMS key for `encryption: aws:kms` or `aws:kms:dsse`.",
    "alias/ivr-state",
  ),
  remote: stateText(
    remotePattern,
    "must be a git remote",
    remoteRule,
    "For `git`: the remote with the branch, by its name or address. Default: origin.",
    "origin",
  ),
  branch: stateText(
    branchPattern,
    "must be the name of a branch",
    branchRule,
    "For `git`: the start of the name of the branch, before `-` and the environment. Default: ivrctl-state.",
    "ivrctl-state",
  ),
  path_style: flag(
    "For `s3`: whether the name of the bucket is in the path of the address, not in the host. Default: true if `endpoint` is given.",
  ),
});

/** The id is part of paths and of names of objects. */
const stateIdPattern = /^[a-z0-9][a-z0-9-]{2,39}$/;

/** Where a state is stored, and which one it is. */
export const StateSettings = mapping(
  {
    ...optional({
      id: stateText(
        stateIdPattern,
        "must be the id of a state",
        "must be lower-case letters, digits and hyphens, as `ivrctl state init` writes it",
        "The id of the state, which `ivrctl state init` writes.",
        "3f9a0c1e-77b2",
      ),
    }),
    ...store,
    ...optional({
      from: mapping(store, {
        description:
          "Where the state was stored before. `ivrctl state migrate` moves it from there.",
        examples: [{ backend: "file" }],
        when: backendConditions,
      }),
    }),
  },
  {
    description: "Where ivrctl stores its state: the record of every menu that it created.",
    examples: [{ backend: "s3", bucket: "acme-ivr-state" }],
    when: backendConditions,
  },
);
