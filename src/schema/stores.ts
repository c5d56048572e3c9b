import type * as z from "zod/mini";
import { type AddressProblem, urlProblem } from "./address.ts";
import { address, flag, instruction, matching, oneOf, text } from "./common.ts";

/** The settings of a store under `state:`. `deploy/state` opens it. */
interface SettingsOf<F extends z.core.$ZodLooseShape> {
  /** All of them are optional, except those that the store needs. */
  readonly fields: F;
  readonly needs: readonly string[];
  /** The secrets in the text of a setting, by field. */
  readonly secrets?: Readonly<Record<string, (text: string) => readonly (string | undefined)[]>>;
}

const settings = <F extends z.core.$ZodLooseShape>(own: SettingsOf<F>) => own;

// ---- On a branch of a git repository ----

/** Parts with `/` between them, of characters that need no quoting in a shell. */
const branchPattern =
  /^(?![-.])(?!.*(?:\.\.|\/\.|\/\/|\.lock(?:\/|$)))[A-Za-z0-9._/-]{1,150}(?<![/.])$/;

/** Over http, a user name may be a token. git has its own places for credentials. */
const remotePattern = /^(?!-)(?!https?:\/\/[^/]*@)(?![^@]*:\/\/[^/]*:[^/]*@)[^\s\p{Cc}]{1,500}$/iu;

const git = settings({
  fields: {
    remote: matching(
      remotePattern,
      "IVR407",
      "must be a git remote",
      "For `git`: the remote with the branch, by its name or address. Default: origin.",
      "origin",
      {
        help: instruction("must be the name of a remote, or an address without credentials"),
      },
    ),
    branch: matching(
      branchPattern,
      "IVR407",
      "must be the name of a branch",
      "For `git`: the start of the name of the branch, before `-` and the environment. Default: ivrctl-state.",
      "ivrctl-state",
      { help: instruction("must be letters, digits, `.`, `_`, `-` and `/`") },
    ),
  },
  needs: [],
  secrets: { remote: (text) => [/^https?:\/\/(?:[^/:@]*:)?([^/@]+)@/i.exec(text)?.[1]] },
});

// ---- In the tables of a PostgreSQL database ----

/** PostgreSQL cuts names after 63 bytes and reserves `pg_`. */
const schemaPattern = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;
const schemaRule =
  "must be at most 63 lower-case letters, digits and `_`, without a digit or `pg_` at the start";

const postgres = settings({
  fields: {
    url: text(
      "For `postgres`: the address of the database. If it has a password, write `${NAME}`.",
      "${STATE_URL}",
    ),
    schema: matching(
      schemaPattern,
      "IVR407",
      "must be the name of a schema",
      "For `postgres`: the schema with the tables of the state. Default: ivrctl.",
      "ivrctl",
      { help: instruction(schemaRule) },
    ),
  },
  needs: ["url"],
  secrets: { url: passwordsIn },
});

/** The user, hosts, database and parameters of postgresql://USER:PASSWORD@HOST:PORT,…/DATABASE?PARAMETERS. */
export const addressPattern =
  /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/** Whether a text has, or may have, a password that is not a `${NAME}`. */
export function mayHoldPassword(url: string): boolean {
  const variables = /^(?:\$\{\w+\})+$/;
  if (variables.test(url)) return false;
  return passwordsIn(url).some((password) => password !== "" && !variables.test(password));
}

/** The passwords in an address. A text that is not an address may itself be a password. */
export function passwordsIn(url: string): string[] {
  const address = addressPattern.exec(url);
  if (address === null) return [url];
  const [, user = "", , , query = ""] = address;
  const inUser = user.includes(":") ? user.slice(user.indexOf(":") + 1) : "";
  return [decoded(inUser), new URLSearchParams(query).get("password") ?? ""];
}

export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// ---- In an object store ----

/** The store itself checks the rest. */
const word = (description: string, example: string) =>
  matching(/^\S+$/, "IVR407", "must be text without spaces", description, example);

const s3 = settings({
  fields: {
    bucket: word("For `s3`: the bucket with the state.", "acme-ivr-state"),
    prefix: word("For `s3`: the start of the names of all objects. Default: none.", "team/ivr"),
    region: word("For `s3`: the region of the bucket. Default: AWS_REGION.", "eu-west-1"),
    endpoint: address(
      endpointProblem,
      "For `s3`: the address of the store, if it is not Amazon S3. It must be https, or http on this machine.",
      "https://storage.example",
    ),
    encryption: oneOf(
      ["AES256", "aws:kms", "aws:kms:dsse"],
      "For `s3`: how the store encrypts objects. Default: the setting of the bucket.",
    ),
    kms_key: word(
      "For `s3`: the KMS key for `encryption: aws:kms` or `aws:kms:dsse`.",
      "alias/ivr-state",
    ),
    path_style: flag(
      "For `s3`: whether the name of the bucket is in the path of the address, not in the host. Default: true if `endpoint` is given.",
    ),
  },
  needs: ["bucket"],
});

/** Says why a text cannot be the address of an object store; undefined if it can. */
export function endpointProblem(address: string): AddressProblem | undefined {
  return urlProblem(address, {
    field: "endpoint",
    example: "https://storage.example",
    credentials: "Credentials come from environment variables",
    sent: "the state",
  });
}

/** The settings of all stores, by the name that `backend:` gives them. */
export const storeSettings = {
  file: settings({ fields: {}, needs: [] }),
  git,
  postgres,
  s3,
};
export type StoreName = keyof typeof storeSettings;

export const storeFields = { ...git.fields, ...postgres.fields, ...s3.fields };

/** The settings of a store, with variables replaced. */
export type StoreValue<N extends StoreName> = {
  readonly [K in keyof (typeof storeSettings)[N]["fields"]]?:
    | z.infer<(typeof storeSettings)[N]["fields"][K]>
    | undefined;
};
