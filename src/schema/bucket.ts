import { type AddressProblem, urlProblem } from "./address.ts";

/** The fields of `state:` for an object store. */
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

/** The settings of an object store, with variables replaced. */
export type BucketTexts = Readonly<Partial<Record<BucketField, string>>>;

/** The values of the encryption header of an object store. */
export const encryptions = ["AES256", "aws:kms", "aws:kms:dsse"] as const;
export type Encryption = (typeof encryptions)[number];

/** The name of a bucket. Allows more than Amazon does today, for other stores and old buckets. */
export const bucketPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;
export const bucketRule =
  "must be at least 3 letters, digits, `.`, `_` or `-`, with a letter or digit at both ends";

/** A prefix: parts separated by `/`, of characters that need no escaping in addresses and shells. */
export const prefixPattern = /^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[A-Za-z0-9._=/-]{1,400}$/;
export const prefixRule =
  "must be letters, digits, `.`, `_`, `-`, `=` and `/`, without a `/` at the start or end";

export const regionPattern = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;
export const regionRule = "must be letters, digits and `-`";

/** The id, alias or ARN of a KMS key. */
export const kmsKeyPattern = /^[A-Za-z0-9:/_-]{1,2048}$/;
export const kmsKeyRule = "must be the id, alias or ARN of a KMS key";

/** Says why a text cannot be the address of an object store; undefined if it can. */
export function endpointProblem(text: string): AddressProblem | undefined {
  return urlProblem(text, {
    field: "endpoint",
    example: "https://storage.example",
    credentials: "Credentials come from environment variables",
    sent: "the state",
  });
}

/** The parts of the address s3://BUCKET/PREFIX?region=…&endpoint=… from a command line. */
export type BucketAddress =
  | { readonly kind: "settings"; readonly texts: BucketTexts }
  /** The query has an unknown setting, or a setting twice. */
  | { readonly kind: "stray"; readonly name: string; readonly given: boolean }
  | { readonly kind: "none" };

/** Splits an address into its parts. Does not check their values. */
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
