// @ts-check
import { fileURLToPath } from "node:url";
import { startRadosgw } from "../scripts/radosgw.mjs";
import { command, count, run } from "./measure.mjs";
import { startService } from "./service.mjs";

const bare = fileURLToPath(new URL("bare-put.mjs", import.meta.url));

/**
 * Creates at a service that takes no time, with the state in an object store.
 * @param {string} folder
 */
export async function inBucket(folder) {
  const radosgw = await startRadosgw();
  const bucket = radosgw.bucket("bench");
  const { endpoint, accessKey, secretKey } = radosgw;
  const place = `bucket: ${bucket}, region: us-east-1, endpoint: "${endpoint}"`;
  const service = await startService(0, folder, 16, `{ backend: s3, ${place} }`);
  const env = { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey };
  const own = { cwd: folder, env };
  try {
    run({ name: "plan", args: [command, "plan", "--out", "plan.json", "--quiet"], ...own });
    run({ name: "apply", args: [command, "apply", "plan.json", "--quiet"], ...own });
    const { count: creates, ms } = await service.seen();
    const { stdout } = run({ name: "PUT", args: [bare, endpoint, bucket, "bare", "200"], ...own });
    const puts = (Number(stdout) / 200) * 2;
    return [count(creates), ms.toFixed(0), (ms / creates).toFixed(2), puts.toFixed(2)];
  } finally {
    service.end();
    radosgw.close();
  }
}
