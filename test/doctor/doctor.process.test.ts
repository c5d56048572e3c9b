import { createServer } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { certificate } from "../support/certificate.ts";
import { ivrctl } from "../support/cli.ts";
import { doctor } from "../support/doctor.ts";
import { listen } from "../support/listen.ts";
import { menu, project } from "../support/project.ts";

// Node reads some of its settings only when it starts, so doctor runs in a process.
test("doctor reports an untrusted certificate, and accepts one from NODE_EXTRA_CA_CERTS", async () => {
  const { key, cert } = certificate();
  const port = await listen(createServer({ key, cert }, (_, response) => void response.end("[]")));
  const { path, env, write } = project(`https://localhost:${port}`, { a: menu("A") });
  write("ca.pem", cert.toString());
  const trusted = { NODE_EXTRA_CA_CERTS: join(path, "ca.pem") };
  const connection = async (variables: Record<string, string>) =>
    (await doctor(path, { ...env, ...variables }, ivrctl)).is("connection");
  expect(await connection({})).toEqual(["error"]);
  expect(await connection(trusted)).toEqual(["ok"]);
  expect(await connection({ NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toEqual(["warning"]);
  // The certificate is for a different host.
  const other = { ...trusted, BASE_URL: `https://127.0.0.1:${port}` };
  expect(await connection(other)).toEqual(["error"]);
});
