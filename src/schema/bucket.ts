import { urlProblem } from "./address.ts";

/** The settings under `state:` of an object store. */
export const bucketFields = [
  "bucket",
  "prefix",
  "region",
  "endpoint",
  "encryption",
  "kms_key",
  "path_style",
] as const;
export type BucketField = (typeof bucketFields)[number];

/** As they are written, variables filled in. */
export type BucketTexts = Readonly<Partial<Record<BucketField, string>>>;

/** What an object store keeps objects encrypted with, as the header says it. */
export const encryptions = ["AES256", "aws:kms", "aws:kms:dsse"] as const;
export type Encryption = (typeof encryptions)[number];

/** Also what other stores than Amazon's allow, and what old buckets there are called. */
export const bucketPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;
export const bucketRule = "must be letters, digits, `.`, `_` and `-`, three at the least";

/** Parts with a `/` between them: signs that need no care in an address, a policy or a shell. */
export const prefixPattern = /^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[A-Za-z0-9._=/-]{1,400}$/;
export const prefixRule =
  "must be letters, digits, `.`, `_`, `-`, `=` and `/`, without a `/` at either end";

export const regionPattern = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;
export const regionRule = "must be letters, digits and `-`";

/** An id, an alias or an ARN. */
export const kmsKeyPattern = /^[A-Za-z0-9:/_-]{1,2048}$/;
export const kmsKeyRule = "must be a key's id, its alias or its ARN";

/** Why this cannot be the address of an object store, if it cannot. */
export function endpointProblem(text: string): string | undefined {
  return urlProblem(text, {
    field: "endpoint",
    example: "https://storage.example",
    identity: "credentials come from the environment",
    query: "",
    sent: "the state",
  });
}

/** What s3://BUCKET/PREFIX?region=…&endpoint=… says, as a command line takes it. */
export type BucketAddress =
  | { readonly kind: "settings"; readonly texts: BucketTexts }
  /** After the `?` is something that is no setting, or a setting given twice. */
  | { readonly kind: "stray"; readonly name: string; readonly given: boolean }
  | { readonly kind: "none" };

/** Takes an address apart. The values of the settings are not checked. */
export function bucketAddress(text: string): BucketAddress {
  const found = /^s3:\/\/([^/?#@\s]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text);
  if (found === null) return { kind: "none" };
  const [, bucket = "", path = "", query = ""] = found;
  const prefix = path.replace(/\/$/, "");
  const texts: Partial<Record<BucketField, string>> = { bucket };
  if (prefix !== "") texts.prefix = prefix;
  for (const [name, value] of new URLSearchParams(query)) {
    const known = bucketFields.find((field) => field === name);
    if (known === undefined || texts[known] !== undefined) {
      return { kind: "stray", name, given: known !== undefined };
    }
    texts[known] = value;
  }
  return { kind: "settings", texts };
}
