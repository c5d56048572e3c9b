// @ts-check
// The same creates without anything around them: node bare-workers.mjs URL WORKERS PLAN-FILE
import { readFileSync } from "node:fs";
import { Pool } from "undici";

const [url = "", workers, planFile = ""] = process.argv.slice(2);
const { plan } = JSON.parse(readFileSync(planFile, "utf8"));
const payloads = plan.changes.map((/** @type {any} */ change) => change.after.payload).values();
const pool = new Pool(url, { connections: Number(workers) });
await Promise.all(
  Array.from({ length: Number(workers) }, async () => {
    for (const payload of payloads) {
      const { statusCode, body } = await pool.request({
        method: "POST",
        path: "/v1/ivr",
        headers: { "content-type": "application/json", authorization: "Bearer t" },
        body: JSON.stringify(payload),
      });
      const answer = /** @type {any} */ (await body.json());
      if (statusCode !== 200 || !answer.Success) throw new Error(`HTTP ${statusCode}`);
    }
  }),
);
await pool.close();
