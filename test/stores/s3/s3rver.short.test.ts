import S3rver from "s3rver";
import { expect, onTestFinished, test } from "vitest";
import { folder } from "../../support/cli.ts";
import { bucket, freshPrefix } from "../../support/radosgw.ts";
import { storeAt, useCredentials } from "../../support/s3.ts";
import { claim } from "../../deploy/state/conformance.ts";

test("refuses s3rver every time, because it ignores If-None-Match", async () => {
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: folder({}),
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await server.run();
  onTestFinished(() => server.close());
  // The access keys of s3rver.
  useCredentials({ accessKey: "S3RVER", secretKey: "S3RVER" });
  const store = storeAt(`http://127.0.0.1:${port}`, freshPrefix());
  expect((await store.read()).state.serial).toBe(0);
  for (const id of ["run-1", "run-2"]) {
    await expect(store.lock(claim(id))).rejects.toMatchObject({
      code: "IVR676",
      message: expect.stringMatching(
        /ignores If-None-Match: \d of 8 .* overwrite each other's records/,
      ),
    });
  }
  // No lock was taken, and nothing was recorded.
  expect(await store.holder()).toBeNull();
  expect(await store.history()).toEqual([]);
});
