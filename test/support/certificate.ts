import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./cli.ts";
import { need } from "./needs.ts";

/** Creates a key and a self-signed certificate for a host. */
export function certificate(host = "localhost"): { readonly key: Buffer; readonly cert: Buffer } {
  need("openssl");
  const path = folder({});
  const [key, cert] = [join(path, "key.pem"), join(path, "cert.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const name = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  const made = ["-nodes", "-days", "2", "-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", "-x509", ...curve, ...name, ...made], { stdio: "ignore" });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}
