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

/** What the name of a bucket, a prefix, a region and a key must be. The store checks the rest. */
export const bucketTextPattern = /^\S+$/;
export const bucketTextRule = "must be text without spaces";

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
