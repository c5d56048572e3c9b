// @ts-check
// A service that answers every create after some time: node slow-service.mjs AGENTS-FILE MILLISECONDS
// It prints its port. GET /measured returns the creates since the last such request, and the time
// from the arrival of the first to the last answer.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [, , agentsFile = "", delay] = process.argv;
const agents = readFileSync(agentsFile);
const created = '{"Success":true,"Message":"IVR created successfully"}';
let creates = 0;
let firstArrival = 0;
let lastAnswer = 0;

const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  if (request.url === "/v1/agents") {
    response.end(agents);
    return;
  }
  if (request.url === "/measured") {
    response.end(JSON.stringify({ creates, ms: lastAnswer - firstArrival }));
    creates = 0;
    return;
  }
  if (creates === 0) firstArrival = performance.now();
  creates += 1;
  request.resume().on("end", () => {
    setTimeout(() => {
      response.end(created);
      lastAnswer = performance.now();
    }, Number(delay));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : "");
});
