import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exampleProject } from "./cli.ts";

/** The example with a menu of its own and these lines in its configuration. */
export function judged(
  lines: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const config = readFileSync(join(import.meta.dirname, "../../ivrctl.yaml"), "utf8");
  return exampleProject({ "ivrctl.yaml": `${config}${lines}`, "ivrs/desk.yaml": text, ...more });
}

export const desk = (options: string) => `name: Desk
description: d
recording: "10"
options: ${options}
invalid: { destination: Front Desk }
timeout: { destination: Front Desk }
`;
