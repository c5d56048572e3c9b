import { createServer as createSecureServer } from "node:https";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { certificate } from "../support/certificate.ts";
import { ivrctl } from "../support/cli.ts";
import { doctor, serve } from "../support/doctor.ts";
import { menu, project } from "../support/project.ts";
import { listen } from "../support/rude-server.ts";

const example = (url: string) => project(url, { a: menu("A") });

/** Runs doctor in a process, because Node reads some of its settings only when it starts. */
const asProcess = (cwd: string, env: Record<string, string>) => doctor(cwd, env, [], ivrctl);

test("doctor reports an untrusted certificate, and accepts one from NODE_EXTRA_CA_CERTS", async () => {
  const { key, cert } = certificate();
  const server = createSecureServer({ key, cert }, (_, response) => void response.end("[]"));
  await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const { path, env, write } = example(`https://localhost:${port}`);
  const unknown = await asProcess(path, env);
  expect(unknown.of("connection")).toMatchObject({
    status: "error",
    message:
      "No secure connection: the certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT). [IVR505]",
    fix: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
  });
  write("ca.pem", cert.toString());
  const known = await asProcess(path, { ...env, NODE_EXTRA_CA_CERTS: join(path, "ca.pem") });
  expect(known.of("connection")?.message).toBe(
    "The service answers, and its certificate is trusted.",
  );
  expect(known.of("agents")).toMatchObject({ status: "warning" });
  const blind = await asProcess(path, { ...env, NODE_TLS_REJECT_UNAUTHORIZED: "0" });
  expect(blind.is("connection")).toEqual(["warning"]);
  const other = example(`https://127.0.0.1:${port}`);
  const wrong = await asProcess(other.path, {
    ...other.env,
    NODE_EXTRA_CA_CERTS: join(path, "ca.pem"),
  });
  expect(wrong.of("connection")?.message).toContain("for a different host");
  const plain = await asProcess(path, { ...env, BASE_URL: await serve((_, r) => void r.end()) });
  expect(plain.is("connection")).toEqual(["ok"]);
});
