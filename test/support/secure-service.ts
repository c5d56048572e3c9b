import { createServer as createSecureServer } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { certificate } from "./certificate.ts";
import { folder } from "./cli.ts";
import { forward } from "./forward.ts";
import { service } from "./project.ts";
import { listen } from "./listen.ts";

/**
 * Starts the service with TLS and one connection for each request. The TLS handshake waits for
 * `greeted`, so a test can stop a client just before it sends its request. The client must be able
 * to resolve the name of the host.
 */
export async function secureService(host = "localhost") {
  const sandbox = await service();
  const { key, cert } = certificate(host);
  const greeting = { greeted: async () => {} };
  const inside = createSecureServer({ key, cert }, (asked, response) =>
    forward(asked, response, sandbox.url),
  );
  const door = createServer({ pauseOnConnect: true }, (socket) => {
    void greeting.greeted().then(() => {
      inside.emit("connection", socket);
      socket.resume();
    });
  });
  const port = await listen(door);
  return {
    sandbox,
    url: `https://${host}:${port}`,
    /** The variables for a client that trusts the certificate. */
    env: { NODE_EXTRA_CA_CERTS: join(folder({ "ca.pem": cert }), "ca.pem") },
    greeting,
  };
}
