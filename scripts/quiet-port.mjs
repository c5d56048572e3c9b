// @ts-check
import { createServer } from "node:net";

/*
 * Ports for servers that are stopped and started again, or are told their port long before they
 * take it. One that the system gave could be somebody else's by then: these lie below the ports that
 * systems hand out by themselves, and each worker of the tests has a stretch of its own.
 */
const lowest = 12_000;
const each = 450;
const workers = 8;

const worker = Number(process.env["VITEST_POOL_ID"] ?? 0) % workers;
// Anywhere in the stretch, for another run of the tests on this machine begins elsewhere.
let next = Math.floor(Math.random() * each);

/**
 * A port of 127.0.0.1 that is free and that nobody else asks for.
 *
 * @returns {Promise<number>}
 */
export async function quietPort() {
  for (let tries = 0; tries < each; tries += 1) {
    const port = lowest + worker * each + next;
    next = (next + 1) % each;
    if (await isFree(port)) return port;
  }
  throw new Error("All ports that could be used are in use.");
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
