import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { type BucketField, type BucketTexts, bucketFields } from "../schema/bucket.ts";
import { instruction } from "../schema/common.ts";
import {
  type GitField,
  type GitSettings,
  branchPattern,
  branchRule,
  remotePattern,
  remoteRule,
  standardGit,
} from "../schema/git-branch.ts";
import { schemaNamePattern, schemaNameRule } from "../schema/database-address.ts";
import type { Config } from "./config.ts";
import { type Node, entry, field } from "../yaml/node.ts";
import { SettingReader, type Variables } from "./variables.ts";

/** Where the state is stored. */
export type StateSettings =
  | { readonly kind: "file" }
  | {
      readonly kind: "postgres";
      /** Contains the password, so it must never be shown. */
      readonly url: string;
      readonly schema: string;
      /** Where problems with the address are reported. */
      readonly place: Span;
    }
  | {
      readonly kind: "s3";
      readonly texts: BucketTexts;
      /** Where problems with a setting are reported. */
      readonly placeOf: (name: BucketField) => Span;
    }
  | { readonly kind: "git"; readonly settings: GitSettings };

export const standardSchema = "ivrctl";

/** Reads where the state is stored. Call it only if the state is needed, because its variables may be unset. */
export function readStateSettings(
  config: Config,
  environment: string,
  variables: Variables,
  diagnostics: Diagnostics,
): StateSettings | undefined {
  const chosen = entry(field(config.root, "environments"), environment)?.value;
  const state = field(chosen, "state");
  const reader = new SettingReader(config.invalidNodes, variables, diagnostics);
  const backend = field(state, "backend");
  const word = backend === undefined ? "file" : reader.text(backend);
  if (word === "file") return { kind: "file" };
  if (backend === undefined || word === undefined) return undefined;
  if (word === "s3") return bucketSettings(state, backend, reader);
  if (word === "git") return gitSettings(state, reader, diagnostics);
  if (word !== "postgres") {
    diagnostics.add(
      "IVR203",
      backend,
      "The variable must be `file`, `git`, `postgres` or `s3`.",
      "Set the variable to one of these words.",
    );
    return undefined;
  }
  const place = field(state, "url");
  const url = reader.text(place);
  const named = field(state, "schema");
  const schema = named === undefined ? standardSchema : reader.text(named);
  if (place === undefined || url === undefined || schema === undefined) return undefined;
  // The schema could not check the value of a variable.
  if (named !== undefined && !schemaNamePattern.test(schema)) {
    diagnostics.add(
      "IVR407",
      named,
      "The variable must be the name of a schema.",
      instruction(schemaNameRule),
    );
    return undefined;
  }
  return { kind: "postgres", url, schema, place };
}

function bucketSettings(
  state: Node | undefined,
  backend: Node,
  reader: SettingReader,
): StateSettings | undefined {
  const texts: Partial<Record<BucketField, string>> = {};
  let isComplete = true;
  for (const name of bucketFields) {
    const node = field(state, name);
    if (node === undefined) continue;
    const found = reader.text(node);
    if (found === undefined) isComplete = false;
    else texts[name] = found;
  }
  const placeOf = (name: BucketField) => field(state, name) ?? backend;
  return isComplete ? { kind: "s3", texts, placeOf } : undefined;
}

function gitSettings(
  state: Node | undefined,
  reader: SettingReader,
  diagnostics: Diagnostics,
): StateSettings | undefined {
  const remote = checked("remote", remotePattern, remoteRule);
  const branch = checked("branch", branchPattern, branchRule);
  if (remote === undefined || branch === undefined) return undefined;
  return { kind: "git", settings: { remote, branch } };

  /** The schema could not check what a variable holds. */
  function checked(name: GitField, pattern: RegExp, rule: string): string | undefined {
    const node = field(state, name);
    if (node === undefined) return standardGit[name];
    const text = reader.text(node);
    if (text === undefined || pattern.test(text)) return text;
    const message = "The value of the variable is invalid.";
    diagnostics.add("IVR407", node, message, instruction(rule));
    return undefined;
  }
}
