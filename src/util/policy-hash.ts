import { createHash } from "node:crypto";

/** The part of a content security policy that allows exactly this style or script. */
export function policyHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
