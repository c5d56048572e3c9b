import type * as z from "zod/mini";
import { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/source.ts";
import { type BucketField, type BucketTexts, bucketFields } from "../schema/bucket.ts";
import { StateSettings as Schema } from "../schema/state-settings.ts";
import { type GitSettings, standardGit } from "../schema/git-branch.ts";
import { decode } from "../yaml/decode.ts";
import type { Config } from "./config.ts";
import { type Node, entry, field, isNull } from "../yaml/node.ts";
import { isSandbox } from "./service-settings.ts";
import { type Variables, expandAll } from "./variables.ts";

/** A store of states. */
export type StoreSettings =
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

/** The state of an environment, and where it is stored. */
export interface StateSettings {
  /** Undefined if the file names none. */
  readonly id: string | undefined;
  /** Whether a state without an id begins on its own: that of the embedded sandbox. */
  readonly beginsAlone: boolean;
  readonly store: StoreSettings;
  /** Where the state was stored before. */
  readonly from: StoreSettings | undefined;
  /** Where a missing id is reported. */
  readonly place: Span;
}

export const standardSchema = "ivrctl";

/** Reads where the state is stored. Call it only if the state is needed, because its variables may be unset. */
export function readStateSettings(
  config: Config,
  environment: string,
  variables: Variables,
  diagnostics: Diagnostics,
): StateSettings | undefined {
  const chosen = entry(field(config.root, "environments"), environment);
  const state = entry(chosen?.value, "state");
  const beginsAlone = isSandbox(chosen?.value, variables);
  if (state === undefined || isNull(state.value)) {
    const place = state?.key ?? chosen?.key ?? config.source.top();
    return { id: undefined, beginsAlone, store: { kind: "file" }, from: undefined, place };
  }
  const found = new Diagnostics();
  const decoded = decode(
    { complete: Schema, draft: Schema },
    expandAll(state.value, variables, found),
    { diagnostics: found, top: state.key, inside: ["environments", environment, "state"] },
  );
  diagnostics.addAll(found);
  if (decoded === undefined || found.hasErrors) return undefined;
  const { id, from, ...store } = decoded.value;
  return {
    id,
    beginsAlone,
    store: storeOf(store, state.value, state.key),
    from: from && storeOf(from, field(state.value, "from"), state.key),
    place: state.key,
  };
}

type StoreFields = Omit<z.infer<typeof Schema>, "id" | "from">;

function storeOf(value: StoreFields, node: Node | undefined, top: Span): StoreSettings {
  const placeOf = (name: string): Span => field(node, name) ?? top;
  switch (value.backend) {
    case undefined:
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
