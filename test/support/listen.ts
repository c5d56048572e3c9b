import type { AddressInfo, Server, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Opens a proxy for the duration of a test. */
export async function opened<Proxy extends { open(): Promise<void>; close(): Promise<void> }>(
  proxy: Proxy,
): Promise<Proxy> {
  await proxy.open();
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Starts a server on a free port of 127.0.0.1 for the duration of a test. Returns the port. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
