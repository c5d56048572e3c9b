import { type CodeEntry, error, warning } from "./code-entry.ts";

/** What can be wrong with tests of menus, and with what must hold on every way through them. */
export const callCodes = {
  IVR701: error(
    "A key that nobody can press",
    "A test presses what is neither a key of a telephone (0-9, * and #) nor one of the menu's own, and not `_` for silence.",
    "Write one key after the other as a list: [1, 2].",
  ),
  IVR702: warning(
    "A test that expects nothing",
    "The test says what the caller does, and nothing of what must come of it. It fails only where the call ends before all keys are pressed.",
    "Add `reaches:`, `via:`, `hears:` or `steps:`.",
  ),
} as const satisfies Record<`IVR${number}`, CodeEntry>;
