import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a CA and a certificate for localhost that it signed, as files in a new folder. */
export function certificateFiles() {
  const folder = mkdtempSync(join(tmpdir(), "ivrctl-ca-"));
  const path = (name: string) => join(folder, name);
  const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "ignore" });
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const authority = ["-keyout", path("ca.key"), "-out", path("ca.crt"), "-subj", "/CN=Test CA"];
  openssl("req", "-x509", ...curve, "-days", "2", ...authority);
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const request = ["-keyout", path("server.key"), "-out", path("server.csr")];
  openssl("req", ...curve, ...name, ...request);
  const signer = ["-CA", path("ca.crt"), "-CAkey", path("ca.key"), "-CAcreateserial"];
  const signed = [
    "-in",
    path("server.csr"),
    "-out",
    path("server.crt"),
    "-copy_extensions",
    "copy",
  ];
  openssl("x509", "-req", "-days", "2", ...signer, ...signed);
  return { folder, ca: path("ca.crt"), cert: path("server.crt"), key: path("server.key") };
}
