/** The version of every JSON shape that ivrctl prints. */
export const formatVersion = "1.0";

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
