import { describe, expect, test } from "vitest";
import { SettingProblem } from "../../src/deploy/state/lock.ts";
import { bucketSettings } from "../../src/deploy/state/s3/bucket-settings.ts";

const read = (given: Parameters<typeof bucketSettings>[0], variables = {}) => {
  try {
    return bucketSettings(given, variables);
  } catch (error) {
    return error instanceof SettingProblem ? `${error.field}: ${error.message}` : error;
  }
};

describe("the settings of an object store", () => {
  test("a bucket is enough: the region comes from the environment or the profile", () => {
    expect(read({ bucket: "states" })).toEqual({
      bucket: "states",
      prefix: "",
      region: undefined,
      endpoint: undefined,
      pathStyle: false,
      encryption: undefined,
      key: undefined,
      address: "s3://states",
    });
  });

  test("with an endpoint, the bucket is in the path and the region is optional", () => {
    const endpoint = "https://storage.example:9000";
    expect(read({ bucket: "states", prefix: "team/ivr", endpoint })).toMatchObject({
      prefix: "team/ivr/",
      region: "us-east-1",
      endpoint,
      pathStyle: true,
      address: "s3://states/team/ivr at storage.example:9000",
    });
    const options = { region: "eu-1", path_style: false };
    expect(read({ bucket: "states", endpoint, ...options }, { AWS_REGION: "x" })).toMatchObject({
      region: "eu-1",
      pathStyle: false,
    });
    expect(read({ bucket: "states", endpoint }, { AWS_REGION: "x" })).toMatchObject({
      region: "x",
    });
  });

  test("takes the endpoint from the SDK's variables, unless the file has one", () => {
    const variables = {
      AWS_ENDPOINT_URL_S3: "https://a.example",
      AWS_ENDPOINT_URL: "https://b.example",
    };
    expect(read({ bucket: "states" }, variables)).toMatchObject({
      endpoint: "https://a.example",
      address: "s3://states at a.example",
    });
    expect(read({ bucket: "states", endpoint: "https://c.example" }, variables)).toMatchObject({
      endpoint: "https://c.example",
    });
    expect(read({ bucket: "states" }, { AWS_ENDPOINT_URL: "http://b.example" })).toMatch(
      /^endpoint: .*plain http.*AWS_ENDPOINT_URL/,
    );
  });

  test("reads the encryption and its key", () => {
    expect(read({ bucket: "states", encryption: "AES256" })).toMatchObject({
      encryption: "AES256",
      key: undefined,
    });
    const key = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
    expect(read({ bucket: "states", encryption: "aws:kms", kms_key: key })).toMatchObject({
      encryption: "aws:kms",
      key,
    });
  });

  const wrong: readonly (readonly [Parameters<typeof bucketSettings>[0], RegExp])[] = [
    [{ bucket: "states", endpoint: "storage.example" }, /^endpoint: .*not an address/],
    [{ bucket: "states", endpoint: "ftp://storage.example" }, /^endpoint: .*https/],
    [{ bucket: "states", endpoint: "http://storage.example" }, /^endpoint: .*plain http/],
    [{ bucket: "states", endpoint: "https://u:hunter2@storage.example" }, /^endpoint: .*password/],
    [{ bucket: "states", endpoint: "https://storage.example?a=b" }, /^endpoint: .*\?/],
    [{ bucket: "states", kms_key: "k" }, /^kms_key: .*aws:kms/],
    [{ bucket: "states", encryption: "AES256", kms_key: "k" }, /^kms_key: .*aws:kms/],
  ];
  test.for(wrong)("refuses %j at the wrong field, and does not show it", ([texts, problem]) => {
    const said = read(texts);
    expect(said).toMatch(problem);
    expect(said).not.toContain("hunter2");
  });
});
