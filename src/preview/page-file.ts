import { closeSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { generator } from "./document.ts";
import { replaceFile } from "../util/replace-file.ts";

/** Writes the page, over an earlier one of its kind and over nothing else. */
export function writePage(path: string, page: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (statSync(path, { throwIfNoEntry: false }) !== undefined && !isOurs(path)) throw new Foreign();
  replaceFile(path, page);
}

/** There is another file of that name, which is not ours to write over. */
export class Foreign extends Error {}

function isOurs(path: string): boolean {
  const head = Buffer.alloc(4096);
  const file = openSync(path, "r");
  try {
    return head.toString("utf8", 0, readSync(file, head)).includes(generator);
  } finally {
    closeSync(file);
  }
}
