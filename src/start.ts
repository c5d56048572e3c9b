import { join } from "node:path";
import { codeFolder, keepCode } from "./code-cache.ts";

// The command's entry: it is compiled at every start, so it holds nothing else.
const folder = codeFolder(process.env);
if (folder !== undefined) keepCode(join(import.meta.dirname, "chunks"), folder);
void import("./cli.ts");
