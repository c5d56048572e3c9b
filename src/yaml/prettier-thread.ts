// The code of a thread that formats texts: see `inThread`.
import { parentPort, workerData } from "node:worker_threads";
import { prettierTexts } from "./prettier-text.ts";

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
void prettierTexts(workerData).then((formatted) => parentPort?.postMessage(formatted));
