import type { IncomingMessage, Server } from "node:http";
import { isLoopback } from "./address.ts";

export async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** Ends all connections, and stops to listen. */
export async function stopListening(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/**
 * Whether the host name of a request is allowed. A foreign site can make its own name resolve to
 * this machine (DNS rebinding), so a server on loopback answers only to loopback names.
 */
export function isOwnHost(request: IncomingMessage): boolean {
  return isLoopback((request.headers.host ?? "").replace(/:\d*$/, ""));
}
