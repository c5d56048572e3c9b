// @ts-check
import { createServer } from "node:net";

/*
 * Ports for servers that restart on the same port, or that listen long after the port was chosen.
 * A port that the operating system assigned could be taken by then. These ports are below its range,
 * and each test worker has its own range.
 */
const lowest = 12_000;
const portsPerWorker = 2_500;
const workers = 8;

const worker = Number(process.env["VITEST_POOL_ID"] ?? 0) % workers;
// Start at a random port, because another test run on this machine may use the same range.
let next = Math.floor(Math.random() * portsPerWorker);

/**
 * Returns a free port of 127.0.0.1 that no other test worker uses.
 *
 * @returns {Promise<number>}
 */
export async function quietPort() {
  for (let tries = 0; tries < portsPerWorker; tries += 1) {
    const port = lowest + worker * portsPerWorker + next;
    next = (next + 1) % portsPerWorker;
    if (await isFree(port)) return port;
  }
  throw new Error("All ports of this test worker are in use.");
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer().on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
