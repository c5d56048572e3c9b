import { closeSync, fsyncSync, openSync } from "node:fs";

/** Whether a system refused with one of these codes. */
export function failedWith(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** So that a name in it, new or changed, survives a power cut. */
export function syncFolder(path: string): void {
  // Windows opens no folder.
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
