import { readFileSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { createServer } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { certificate } from "../support/certificate.ts";
import { exampleProject, folder, ivrctl } from "../support/cli.ts";
import { listen } from "../support/listen.ts";

const host = "telephony.example";

/** The bundle contains only a part of the HTTP client. It must include the proxy tunnel. */
test("the built command creates a menu over TLS through a proxy", async () => {
  const cwd = exampleProject();
  const staff = JSON.stringify(
    JSON.parse(readFileSync(join(cwd, "agents.lock.json"), "utf8")).agents,
  );
  const { key, cert } = certificate(host);
  const asked: string[] = [];
  const port = await listen(
    createServer({ key, cert }, ({ method = "", url = "" }, response) => {
      asked.push(`${method} ${url}`);
      response.end(method === "GET" ? staff : '{"Success":true,"Message":"created"}');
    }),
  );
  const tunnels: (string | undefined)[] = [];
  const way = await listen(
    createProxy().on("connect", ({ url }, socket) => {
      tunnels.push(url);
      const onward = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connected\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [onward, socket]) end.on("error", () => {});
    }),
  );
  const env = {
    TELEPHONY_BASE_URL: `https://${host}`,
    TELEPHONY_TOKEN: "t",
    HTTPS_PROXY: `http://127.0.0.1:${way}`,
    NODE_EXTRA_CA_CERTS: join(folder({ "ca.pem": cert }), "ca.pem"),
  };
  expect((await ivrctl(["state", "init", "--env", "production"], { cwd, env })).exit).toBe(0);
  const args = ["apply", "--env", "production", "--auto-approve"];
  const { exit, stderr } = await ivrctl(args, { cwd, env });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining("created") });
  expect(asked).toEqual(["GET /v1/agents", "POST /v1/ivr"]);
  expect(new Set(tunnels)).toEqual(new Set([`${host}:443`]));
});
