import { visible } from "./terminal.ts";

/** A command to the runner of GitHub Actions. Its texts may come from outside. */
export function workflowCommand(
  name: string,
  properties: Readonly<Record<string, string | number>>,
  text: string,
): string {
  const list = Object.entries(properties).map(
    ([key, value]) => `${key}=${property(String(value))}`,
  );
  return `::${name} ${list.join(",")}::${data(text)}\n`;
}

function data(text: string): string {
  return text
    .split("\n")
    .map(visible)
    .join("\n")
    .replaceAll("%", "%25")
    .replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
