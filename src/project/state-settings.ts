import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { type BucketField, type BucketTexts, bucketFields } from "../schema/bucket.ts";
import { State } from "../schema/config.ts";
import { type GitSettings, standardGit } from "../schema/git-branch.ts";
import { decode } from "../yaml/decode.ts";
import type { Config } from "./config.ts";
import { entry, field, isNull } from "../yaml/node.ts";
import { type Variables, expandAll } from "./variables.ts";

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
  const state = entry(chosen, "state");
  if (state === undefined || isNull(state.value)) return { kind: "file" };
  const found = new Diagnostics();
  const decoded = decode(
    { complete: State, draft: State },
    expandAll(state.value, variables, found),
    { diagnostics: found, top: state.key, inside: ["environments", environment, "state"] },
  );
  diagnostics.addAll(found);
  if (decoded === undefined || found.hasErrors) return undefined;
  const { value } = decoded;
  const placeOf = (name: string): Span => field(state.value, name) ?? state.key;
  switch (value.backend) {
    case "file":
      return { kind: "file" };
    case "git":
      return {
        kind: "git",
        settings: {
          remote: value.remote ?? standardGit.remote,
          branch: value.branch ?? standardGit.branch,
        },
      };
    case "postgres": {
      const { url = "", schema = standardSchema } = value;
      return { kind: "postgres", url, schema, place: placeOf("url") };
    }
    case "s3": {
      const texts: Partial<Record<BucketField, string>> = {};
      for (const name of bucketFields) {
        if (value[name] !== undefined) texts[name] = String(value[name]);
      }
      return { kind: "s3", texts, placeOf };
    }
  }
}
