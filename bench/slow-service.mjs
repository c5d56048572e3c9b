// @ts-check
// A service that answers every create after so many milliseconds, in a process of its own:
// node slow-service.mjs MS AGENTS-FILE. It prints its port.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [delay, agentsFile] = process.argv.slice(2);
const agents = readFileSync(agentsFile ?? "");
const created = '{"Success":true,"Message":"IVR created successfully"}';
const seen = { count: 0, first: 0, last: 0 };

const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  if (request.url === "/v1/agents") {
    response.end(agents);
    return;
  }
  if (request.url === "/seen") {
    // From the first create's arrival to the last one's answer, since this was asked last.
    response.end(JSON.stringify({ count: seen.count, ms: seen.last - seen.first }));
    seen.count = 0;
    return;
  }
  if (seen.count === 0) seen.first = performance.now();
  seen.count += 1;
  const answer = () => {
    response.end(created);
    seen.last = performance.now();
  };
  request.resume().on("end", () => {
    if (delay === "0") answer();
    else setTimeout(answer, Number(delay));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : "");
});
