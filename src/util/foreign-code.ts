import { fileURLToPath } from "node:url";

/** The files of a project whose code was loaded, as URLs: its plugins. */
export const foreignFiles = new Set<string>();

/** The loaded file of the project in which an error was thrown, if there is one. */
export function throwingFile({ stack = "" }: Error): string | undefined {
  return [...foreignFiles]
    .map((url) => ({ url, path: fileURLToPath(url) }))
    .find(({ url, path }) => stack.includes(url) || stack.includes(path))?.path;
}
