import { createServer } from "node:http";
import { forward } from "./forward.ts";
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
  const door = createServer((asked, response) =>
    forward(asked, response, sandbox.url, (handOn) => {
      if (asked.method !== "POST") return handOn();
      held.push(handOn);
      return pass();
    }),
  );
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
