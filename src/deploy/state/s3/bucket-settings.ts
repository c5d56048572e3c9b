import type { Variables } from "../../../project/environment-variables.ts";
import { type StoreValue, endpointProblem } from "../../../schema/store-settings.ts";
import { SettingProblem } from "../lock.ts";

type Given = StoreValue<"s3">;

/** The settings of a place in an object store. The SDK finds the credentials itself. */
export type BucketSettings = ReturnType<typeof bucketSettings>;

export function bucketSettings(written: Given, variables: Variables) {
  const { bucket = "", region, encryption, kms_key: key } = written;
  if (key !== undefined && (encryption === undefined || encryption === "AES256")) {
    const problem = "`kms_key` needs `encryption: aws:kms` or `aws:kms:dsse`.";
    throw new SettingProblem("kms_key", problem);
  }
  const own = written.endpoint;
  const endpoint = own ?? (variables["AWS_ENDPOINT_URL_S3"] || variables["AWS_ENDPOINT_URL"]);
  const problem = endpoint && endpointProblem(endpoint);
  if (problem) {
    const from = own === undefined ? " (from AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL)" : "";
    throw new SettingProblem("endpoint", `${problem.message}${from} ${problem.help}`);
  }
  const prefix = written.prefix?.replace(/\/+$/, "") ?? "";
  const path = prefix === "" ? bucket : `${bucket}/${prefix}`;
  return {
    bucket,
    /** Empty, or ends with `/`. */
    prefix: prefix === "" ? "" : `${prefix}/`,
    /**
     * Undefined: the region of AWS_REGION or of the profile. Most other stores than Amazon S3 have one
     * region and accept this name for it.
     */
    region: region ?? (endpoint ? variables["AWS_REGION"] || "us-east-1" : undefined),
    /** Undefined: Amazon S3. */
    endpoint: endpoint || undefined,
    /** Whether the bucket's name is in the path and not in the host name. */
    pathStyle: written.path_style ?? Boolean(endpoint),
    encryption,
    key,
    /** The address in messages. */
    address: endpoint ? `s3://${path} at ${new URL(endpoint).host}` : `s3://${path}`,
  };
}
