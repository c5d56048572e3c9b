import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./cli.ts";

/**
 * Returns an `env` for commands. When the test calls `jump`, six seconds pass on their clock at once.
 * The other clock goes back. So a command does not give up waiting because the test was slow while
 * the command was suspended.
 */
export function jumpingClock() {
  const file = join(folder({}), "jumped");
  const preload = join(import.meta.dirname, "jumping-clock.cjs");
  return {
    env: { NODE_OPTIONS: `--require=${preload}`, TEST_CLOCK_JUMPED: file },
    jump: () => writeFileSync(file, ""),
  };
}
