// @ts-check
import { createServer } from "node:net";

/*
 * Ports for servers that restart on the same port, or that listen long after the port was chosen.
 * A port that the operating system assigned could be taken by then. These ports are below its range,
 * and each process has its own: also those of other test runs on this machine, as far as their ids differ.
 */
const lowest = 12_000;
const portsPerProcess = 250;
const ranges = 80;

const first = lowest + (process.pid % ranges) * portsPerProcess;
// Start at a random port, because a process with the same range may run.
let next = Math.floor(Math.random() * portsPerProcess);

/**
 * Returns a free port of 127.0.0.1 that no other test process uses.
 *
 * @returns {Promise<number>}
 */
export async function quietPort() {
  for (let tries = 0; tries < portsPerProcess; tries += 1) {
    const port = first + next;
    next = (next + 1) % portsPerProcess;
    if (await isFree(port)) return port;
  }
  throw new Error("All ports of this test process are in use.");
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
