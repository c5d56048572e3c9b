import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { need } from "./needs.ts";

/** Creates a key and a self-signed certificate for a host, as files in a new folder. */
export function certificateFiles(host = "localhost") {
  need("openssl");
  const folder = mkdtempSync(join(tmpdir(), "ivrctl-certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const name = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  const made = ["-nodes", "-days", "2", "-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", "-x509", ...curve, ...name, ...made], { stdio: "ignore" });
  return { key, cert };
}

export function certificate(host?: string) {
  const { key, cert } = certificateFiles(host);
  return { key: readFileSync(key), cert: readFileSync(cert) };
}
