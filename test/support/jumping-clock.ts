import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./cli.ts";

/** For commands that are started with this `env`, six seconds pass at once when `jump` is called. */
export function jumpingClock() {
  const file = join(folder({}), "jumped");
  const preload = join(import.meta.dirname, "jumping-clock.cjs");
  return {
    env: { NODE_OPTIONS: `--require=${preload}`, TEST_CLOCK_JUMPED: file },
    jump: () => writeFileSync(file, ""),
  };
}
