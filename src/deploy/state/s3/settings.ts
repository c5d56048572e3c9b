import type { Variables } from "../../../project/variables.ts";
import {
  type BucketField,
  type BucketTexts,
  type Encryption,
  bucketTextPattern,
  bucketTextRule,
  encryptions,
  endpointProblem,
} from "../../../schema/bucket.ts";

/** The settings of a place in an object store. The SDK finds the credentials itself. */
export interface BucketSettings {
  readonly bucket: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** Undefined: the region of AWS_REGION or of the profile. */
  readonly region: string | undefined;
  /** Undefined: Amazon S3. */
  readonly endpoint: string | undefined;
  /** Whether the bucket's name is in the path and not in the host name. */
  readonly pathStyle: boolean;
  readonly encryption: { readonly with: Encryption; readonly key: string | undefined } | undefined;
  /** The address in messages. */
  readonly address: string;
}

export type SettingsReading =
  | { readonly kind: "read"; readonly settings: BucketSettings }
  | { readonly kind: "problem"; readonly field: BucketField; readonly problem: string };

/** Reads the settings. A problem never shows the value of a variable. */
export function readSettings(texts: BucketTexts, variables: Variables): SettingsReading {
  for (const field of ["bucket", "prefix", "region", "kms_key"] as const) {
    const text = texts[field];
    if (text === undefined || bucketTextPattern.test(text)) continue;
    return wrong(field, `\`${field}\` ${bucketTextRule}.`);
  }
  const { path_style: style = "true" } = texts;
  if (style !== "true" && style !== "false") {
    return wrong("path_style", "`path_style` must be true or false.");
  }
  const { bucket = "", region, kms_key: key } = texts;
  const prefix = texts.prefix?.replace(/\/+$/, "") ?? "";
  if (bucket === "") return wrong("bucket", "`bucket` is missing.");
  const algorithm = encryptions.find((known) => known === texts.encryption);
  if (texts.encryption !== undefined && algorithm === undefined) {
    return wrong("encryption", `\`encryption\` must be one of ${encryptions.join(", ")}.`);
  }
  if (key !== undefined && (algorithm === undefined || algorithm === "AES256")) {
    return wrong("kms_key", "`kms_key` needs `encryption: aws:kms` or `aws:kms:dsse`.");
  }
  const own = texts.endpoint;
  const endpoint = own ?? (variables["AWS_ENDPOINT_URL_S3"] || variables["AWS_ENDPOINT_URL"]);
  const problem = endpoint && endpointProblem(endpoint);
  if (problem) {
    const from = own === undefined ? " (from AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL)" : "";
    return wrong("endpoint", `${problem.message}${from} ${problem.help}`);
  }
  return {
    kind: "read",
    settings: {
      bucket,
      prefix: prefix === "" ? "" : `${prefix}/`,
      // Most other stores have one region and accept this name for it.
      region: region ?? (endpoint ? variables["AWS_REGION"] || "us-east-1" : undefined),
      endpoint: endpoint || undefined,
      pathStyle: texts.path_style === undefined ? Boolean(endpoint) : texts.path_style === "true",
      encryption: algorithm && { with: algorithm, key },
      address: addressOf(bucket, prefix, endpoint),
    },
  };
}

function wrong(field: BucketField, problem: string): SettingsReading {
  return { kind: "problem", field, problem };
}

function addressOf(bucket: string, prefix: string, endpoint: string | undefined): string {
  const path = prefix === "" ? bucket : `${bucket}/${prefix}`;
  return endpoint ? `s3://${path} at ${new URL(endpoint).host}` : `s3://${path}`;
}
