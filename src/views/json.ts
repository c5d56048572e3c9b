import { secrets } from "../util/secrets.ts";

/** The version of every JSON shape that ivrctl prints. */
export const formatVersion = "1.0";

/** Secrets are masked in the strings, where that cannot damage the JSON around them. */
export function toJson(value: unknown): string {
  const mask = (_: string, part: unknown) => (typeof part === "string" ? secrets.mask(part) : part);
  return `${JSON.stringify(value, mask, 2)}\n`;
}
