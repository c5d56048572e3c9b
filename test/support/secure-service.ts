import { request } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type Socket, createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { certificate } from "./certificate.ts";
import { folder } from "./cli.ts";
import { service } from "./project.ts";
import { listen } from "./rude-server.ts";

/**
 * The service over TLS, with a connection for each request. Before a connection is
 * secure, `greeted` is waited for: whoever connects is held there, with everything
 * done that comes before a request, and nothing of the request sent.
 */
export async function secureService() {
  const sandbox = await service();
  const { key, cert } = certificate();
  const greeting = { greeted: async () => {} };
  const inside = createSecureServer({ key, cert }, (asked, response) => {
    const { method, headers, url } = asked;
    const onward = request(`${sandbox.url}${url}`, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: "close" });
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    asked.on("error", () => onward.destroy()).pipe(onward);
  });
  const sockets = new Set<Socket>();
  const door = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    void greeting.greeted().then(() => {
      inside.emit("connection", socket);
      socket.resume();
    });
  });
  await listen(door);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    door.close();
  });
  const address = door.address();
  return {
    sandbox,
    url: `https://localhost:${typeof address === "object" ? address?.port : 0}`,
    /** For whoever is to believe it. */
    env: { NODE_EXTRA_CA_CERTS: join(folder({ "ca.pem": cert }), "ca.pem") },
    greeting,
  };
}
