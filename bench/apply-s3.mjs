// @ts-check
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startRadosgw } from "../scripts/radosgw.mjs";
import { command, count, run, show, spread } from "./measure.mjs";
import { startService } from "./service.mjs";

const bare = fileURLToPath(new URL("bare-put.mjs", import.meta.url));

/**
 * Creates at a service that takes no time, with the state in an object store.
 * @param {string} folder
 * @param {number} rounds
 */
export async function inBucket(folder, rounds) {
  const radosgw = await startRadosgw();
  const bucket = radosgw.bucket("bench");
  const { endpoint, accessKey, secretKey } = radosgw;
  const place = `bucket: ${bucket}, prefix: "\${PREFIX}", region: us-east-1, endpoint: "${endpoint}"`;
  const service = await startService(0, folder, 16, `{ backend: s3, ${place} }`);
  const environment = join(folder, "environment");
  /** Nothing is ever deleted there, so every run has a place of its own. @param {string} prefix */
  const at = (prefix) => {
    const keys = `AWS_ACCESS_KEY_ID=${accessKey}\nAWS_SECRET_ACCESS_KEY=${secretKey}\n`;
    writeFileSync(environment, `${keys}PREFIX=${prefix}\n`);
    return [`--env-file=${environment}`];
  };
  const times = [];
  const puts = [];
  let creates = 0;
  try {
    const plan = [command, "plan", "--out", "plan.json", "--quiet"];
    run({ name: "plan", args: [...at("plan"), ...plan], cwd: folder });
    for (let round = 0; round <= rounds; round += 1) {
      const own = at(`apply-${round}`);
      run({ name: "apply", args: [...own, command, "apply", "plan.json", "--quiet"], cwd: folder });
      const seen = await service.seen();
      const args = [...own, bare, endpoint, bucket, `bare-${round}`, "200"];
      const { stdout } = run({ name: "PUT", args });
      creates = seen.count;
      if (round === 0) continue;
      times.push(seen.ms);
      puts.push((Number(stdout) / 200) * 2);
    }
  } finally {
    service.end();
    radosgw.close();
  }
  const each = times.map((ms) => ms / creates);
  return [count(creates), show(spread(times)), show(spread(each), 2), show(spread(puts), 2)];
}
