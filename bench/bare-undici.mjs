// @ts-check
// Sends the creates of a plan, 16 at once, and nothing else: node bare-undici.mjs URL PLAN-FILE
import { readFileSync } from "node:fs";
import { Pool } from "undici";

const [url = "", planFile = ""] = process.argv.slice(2);
const workers = 16;
const { changes } = JSON.parse(readFileSync(planFile, "utf8"));
const payloads = changes.map((/** @type {any} */ change) => change.after).values();
const pool = new Pool(url, { connections: workers });
await Promise.all(
  Array.from({ length: workers }, async () => {
    for (const payload of payloads) {
      const { statusCode, body } = await pool.request({
        method: "POST",
        path: "/v1/ivr",
        headers: { "content-type": "application/json", authorization: "Bearer token" },
        body: JSON.stringify(payload),
      });
      const answer = /** @type {any} */ (await body.json());
      if (statusCode !== 200 || !answer.Success) throw new Error(`HTTP ${statusCode}`);
    }
  }),
);
await pool.close();
