// @ts-check
// As many appended lines, each synced before the next: node bare-fsync.mjs FILE COUNT. It prints the ms.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";

const [path = "", count] = process.argv.slice(2);
const line = Buffer.from(`${JSON.stringify({ line: "x".repeat(1000) })}\n`);
const file = openSync(path, "a");
const start = performance.now();
for (let n = 0; n < Number(count); n += 1) {
  writeSync(file, line);
  fdatasyncSync(file);
}
console.log(performance.now() - start);
closeSync(file);
