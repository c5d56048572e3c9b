// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A service in a process of its own, which the generated project in `folder` is then for.
 * @param {number} delay in ms, before a create is answered
 * @param {string} folder
 * @param {number} concurrency
 * @param {string} [state] where its state is kept, as in ivrctl.yaml
 */
export async function startService(delay, folder, concurrency, state = "{ backend: file }") {
  const script = fileURLToPath(new URL("slow-service.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, String(delay), join(folder, "agents.json")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = () => void child.kill();
  process.once("exit", end);
  const [port] = await once(child.stdout, "data");
  const url = `http://127.0.0.1:${String(port).trim()}`;
  const path = join(folder, "ivrctl.yaml");
  const config = readFileSync(path, "utf8").split("\nenvironments:")[0];
  const service = `{ base_url: "${url}", token: { command: [echo, t] }, concurrency: ${concurrency} }`;
  const environment = `    service: ${service}\n    state: ${state}\n`;
  writeFileSync(path, `${config}\nenvironments:\n  sandbox:\n${environment}`);
  return {
    url,
    seen: async () =>
      /** @type {{ count: number, ms: number }} */ (await (await fetch(`${url}/seen`)).json()),
    end: () => {
      process.off("exit", end);
      end();
    },
  };
}
