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
