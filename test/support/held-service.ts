import { type IncomingMessage, type ServerResponse, createServer, request } from "node:http";
import { type ServiceOptions, service } from "./project.ts";
import { listen } from "./listen.ts";

/**
 * Starts a service that holds back its answers to creates until the test releases them. So a test
 * decides how long requests are in flight.
 */
export async function heldService(options: ServiceOptions = {}) {
  const sandbox = await service(options);
  const held: (() => void)[] = [];
  let free = 0;
  const pass = () => {
    while (free > 0 && held.length > 0) {
      free -= 1;
      held.shift()?.();
    }
  };
  const door = createServer((asked, response) => {
    const { method, headers, url } = asked;
    // Use a new connection each time, because an idle one may close at any moment.
    const about = { method, headers, agent: false };
    const onward = request(`${sandbox.url}${url}`, about, (answer) => {
      if (method !== "POST") return handOn(answer, response);
      held.push(() => handOn(answer, response));
      return pass();
    });
    // The client may have been killed meanwhile.
    onward.on("error", () => response.destroy());
    asked.on("error", () => onward.destroy()).pipe(onward);
  });
  const port = await listen(door);
  return {
    ...sandbox,
    // A getter, because the list changes.
    get records() {
      return sandbox.records;
    },
    url: `http://127.0.0.1:${port}`,
    /** Releases this many answers, including those of later creates. */
    release: (count = Infinity) => {
      free += count;
      pass();
    },
    /** Releases the newest answer before all others. */
    releaseNewest: () => held.pop()?.(),
    /** The number of answers held back. */
    get held() {
      return held.length;
    },
  };
}

function handOn(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
}
