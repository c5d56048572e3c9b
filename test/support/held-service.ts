import { type IncomingMessage, type ServerResponse, createServer, request } from "node:http";
import { onTestFinished } from "vitest";
import { type ServiceOptions, service } from "./project.ts";
import { listen } from "./rude-server.ts";

/**
 * The service, whose answers to creates are kept back until they are let go: what is
 * on its record and not yet answered is in flight, for as long as a test likes.
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
    // On a connection of its own: one that was idle may be closed at the moment of use.
    const about = { method, headers, agent: false };
    const onward = request(`${sandbox.url}${url}`, about, (answer) => {
      if (method !== "POST") return handOn(answer, response);
      held.push(() => handOn(answer, response));
      return pass();
    });
    // Who asked may be killed meanwhile.
    onward.on("error", () => response.destroy());
    asked.on("error", () => onward.destroy()).pipe(onward);
  });
  await listen(door);
  onTestFinished(() => {
    door.closeAllConnections();
    door.close();
  });
  const address = door.address();
  return {
    ...sandbox,
    // Looked up at each use: a list of other processes' records too.
    get records() {
      return sandbox.records;
    },
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    /** So many more answers are let go, those of creates to come included. */
    release: (count = Infinity) => {
      free += count;
      pass();
    },
    /** The answer that is kept back since the shortest time is let go, before all others. */
    releaseNewest: () => held.pop()?.(),
    /** How many answers are kept back. */
    get held() {
      return held.length;
    },
  };
}

function handOn(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
}
