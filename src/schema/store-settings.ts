import * as z from "zod/mini";
import { type AddressProblem, urlProblem } from "../util/address.ts";
import { address, flag, mapping, matching, oneOf, optional, text } from "./field-types.ts";

/** A setting with a pattern. `help` says how to write it. */
const setting = (
  pattern: RegExp,
  must: string,
  description: string,
  example: string,
  help?: string,
) => matching(pattern, "IVR407", must, description, example, help === undefined ? {} : { help });

// ---- On a branch of a git repository ----

const git = {
  remote: setting(
    // A URL, a path, a name, or HOST:PATH. Only ssh may have a user name, which is a token elsewhere, and
    // nothing may have a query. git has its own places for credentials.
    /^(?=.{1,500}$)(?:(?:https?|git|file):\/\/[^\s\p{Cc}@?#]+|(?:ssh:\/\/)?(?:[\w.-]+@)?(?:\[[\da-f:.]+\]|[^\s\p{Cc}@?#/:-])[^\s\p{Cc}@?#:]*(?::(?!\/\/)[^\s\p{Cc}@?#:]+)?|[./][^\s\p{Cc}?#]*)$/iu,
    "must be a git remote",
    "For `git`: the remote with the branch, by its name or address. Default: origin.",
    "origin",
    "Use the name of a remote, or an address without credentials and without a query.",
  ),
  branch: setting(
    // Parts with `/` between them, of characters that need no quoting in a shell.
    /^(?![-.])(?!.*(?:\.\.|\/\.|\/\/|\.lock(?:\/|$)))[A-Za-z0-9._/-]{1,150}(?<![/.])$/,
    "must be the name of a branch",
    "For `git`: the start of the name of the branch, before `-` and the environment. Default: ivrctl-state.",
    "ivrctl-state",
    "Use letters, digits, `.`, `_`, `-` and `/`.",
  ),
};

// ---- In the tables of a PostgreSQL database ----

const postgres = {
  url: text(
    "For `postgres`: the address of the database. If it has a password, write `${NAME}`.",
    "${STATE_URL}",
  ),
  schema: setting(
    // PostgreSQL cuts names after 63 bytes and reserves `pg_`.
    /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/,
    "must be the name of a schema",
    "For `postgres`: the schema with the tables of the state. Default: ivrctl.",
    "ivrctl",
    "Use at most 63 lower-case letters, digits and `_`, without a digit or `pg_` at the start.",
  ),
};

/** The user, hosts, database and parameters of postgresql://USER:PASSWORD@HOST:PORT,…/DATABASE?PARAMETERS. */
export const addressPattern =
  /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#@]*))?(?:\?([^#]*))?$/;

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
  setting(/^\S+$/, "must be text without spaces", description, example);

const s3 = {
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
};

/** Says why a text cannot be the address of an object store; undefined if it can. */
export function endpointProblem(address: string): AddressProblem | undefined {
  return urlProblem(address, {
    field: "endpoint",
    example: "https://storage.example",
    credentials: "Credentials come from environment variables",
    sent: "the state",
  });
}

/** A store: its settings, which of them it must have, and how to find the secrets in the text of one. */
interface Store<F> {
  readonly fields: F;
  readonly needs: readonly (keyof F & string)[];
  readonly secrets: { readonly [K in keyof F]?: (text: string) => readonly string[] };
}

const store = <F>(entry: Store<F>) => entry;

/** All stores, by the name that `backend:` gives them. `deploy/state` opens a store. */
const stores = {
  file: store({ fields: {}, needs: [], secrets: {} }),
  git: store({ fields: git, needs: [], secrets: { remote: secretsInAddress } }),
  postgres: store({ fields: postgres, needs: ["url"], secrets: { url: passwordsIn } }),
  s3: store({ fields: s3, needs: ["bucket"], secrets: { endpoint: secretsInAddress } }),
};
export type StoreName = keyof typeof stores;

/** The password and the query of an address. */
export function secretsInAddress(text: string): string[] {
  const [, user = "", query = ""] =
    /^(?:(?:\w+:\/\/)?([^?#]*)@)?[^?#]*[?#]?(.*)$/s.exec(text) ?? [];
  const [, password = ""] = user.split(/:(.*)/s, 2);
  return [password, query, ...new URLSearchParams(query).values()];
}

/** How to find the secrets in the text of a setting, by its name. */
export const secretSettings: Readonly<Record<string, (text: string) => readonly string[]>> =
  Object.assign({}, ...Object.values(stores).map(({ secrets }) => secrets));

/** Whether a setting has, or may have, a secret that is not a `${NAME}`. False if its own check refuses it. */
export function holdsSecret(setting: string, text: string): boolean {
  const variables = /^(?:\$\{\w+\})*$/;
  const field = Object.entries(storeFields).find(([name]) => name === setting)?.[1];
  if (variables.test(text) || !field || !z.safeParse(field, text).success) return false;
  return secretSettings[setting]?.(text).some((secret) => !variables.test(secret)) === true;
}

export function storeWith(setting: string): string | undefined {
  return Object.entries(stores).find(([, { fields }]) => Object.hasOwn(fields, setting))?.[0];
}

type Fields<N extends StoreName> = (typeof stores)[N]["fields"];

/** The settings of a store, with variables replaced. */
export type StoreValue<N extends StoreName> = {
  readonly [K in keyof Fields<N>]?: z.infer<Fields<N>[K]> | undefined;
};

const storeFields = optional({
  backend: oneOf(
    ["file", "git", "postgres", "s3"] satisfies StoreName[],
    "Where the state is stored. `file`: in the folder .ivrctl of the project. `git`: on a branch of the repository. `postgres` or `s3`: in a database or an object store that all runs share. Default: file.",
  ),
  ...git,
  ...postgres,
  ...s3,
});

/** Each store has its own settings and no others. */
const when = Object.entries(stores).map(([is, { needs }]) => ({
  field: "backend",
  is,
  needs,
  never: Object.keys(storeFields).filter((name) => name !== "backend" && storeWith(name) !== is),
}));

/** Where a state is stored, and which one it is. */
export const StateSettingsSchema = mapping(
  {
    ...optional({
      /** The id is part of paths and of names of objects. */
      id: setting(
        /^[a-z0-9][a-z0-9-]{2,39}$/,
        "must be the id of a state",
        "The id of the state, which `ivrctl state init` writes.",
        "3f9a0c1e-77b2",
        "Use lower-case letters, digits and hyphens, as `ivrctl state init` writes it.",
      ),
    }),
    ...storeFields,
    ...optional({
      from: mapping(storeFields, {
        description:
          "Where the state was stored before. `ivrctl state migrate` moves it from there.",
        examples: [{ backend: "file" }],
        when,
      }),
    }),
  },
  {
    description: "Where ivrctl stores its state: the record of every menu that it created.",
    examples: [{ backend: "s3", bucket: "acme-ivr-state" }],
    when,
  },
);
