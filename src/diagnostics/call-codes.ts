import { type Code, type CodeText, text } from "./codes.ts";

/** IVR8xx: tests of menus, and invariants. */
export const callCodes = {
  IVR801: text(
    "A key that nobody can press",
    "A test presses what is neither a key of a telephone (0-9, * and #) nor one of the menu's own, and not `_` for silence.",
    "Write one key after the other as a list: [1, 2].",
  ),
  IVR802: text(
    "A test that expects nothing",
    "The test says what the caller does, and nothing of what must come of it. It fails only where the call ends before all keys are pressed.",
    "Add `reaches:`, `via:`, `hears:` or `steps:`.",
  ),
  IVR803: text(
    "Tests of a menu that is not there",
    "A file of tests is for the menu whose key `menu:` gives, or else its own path without `.test`, and the project has no menu of that key.",
    "Correct `menu:`, add it, or rename the file.",
  ),
  IVR804: text(
    "An invariant that says nothing",
    "An invariant says what must hold on every way through the menus, and this one only says for which.",
    "Add `reaches:`, `not_blocked: true`, `max_heard:` or `max_steps:`.",
  ),
  IVR805: text(
    "An invariant without a menu",
    "`menus:` and `except:` leave no menu of the project, so that the invariant is never looked at.",
    "Correct the pattern: `*` stands for characters other than `/`, `**` for any.",
  ),
  IVR806: text(
    "No such menu",
    "A menu is named by its key: its file's path under ivrs/ without the ending, or its `id:`. The project has none of this key.",
    "Correct the key; the nearest one is named where there is one.",
  ),
  IVR807: text(
    "An invariant about no way",
    "A call that lands by a key of the menu lands `via: option`, never by wrong keys or by silence. An invariant that is about a key and about another way is about no call at all, and would hold whatever the menus say.",
    "Remove `key:` or `via:`, or write two invariants.",
  ),
} satisfies Partial<Record<Code, CodeText>>;
