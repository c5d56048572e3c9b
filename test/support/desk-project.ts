import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exampleProject } from "./cli.ts";

/** A project with these lines at the end of its configuration, and this text as ivrs/desk.yaml. */
export function deskProject(
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
