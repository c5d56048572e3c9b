import { type Code, type CodeText, text } from "./codes.ts";

/** IVR8xx: calls, tests and invariants. */
export const callCodes = {
  IVR801: text(
    "A test presses a key that does not exist",
    "A test can press the phone keys (0-9, `*` and `#`) and the keys of the menu. `_` means that the caller presses nothing.",
    "Correct the key. Write several keys as a list: `[1, 2]`.",
  ),
  IVR802: text(
    "The test checks nothing",
    "The test says what the caller presses, but not what must happen. It fails only if the call ends before all keys are pressed.",
    "Add `reaches:`, `via:`, `hears:`, `in:` or `steps:`.",
  ),
  IVR803: text(
    "The menu of the test file does not exist",
    "A test file is for the menu that `menu:` names. Without `menu:`, it is for the menu with the same path, without `.test`. The project has no such menu.",
    "Correct or add `menu:`, or rename the test file.",
  ),
  IVR804: text(
    "The invariant checks nothing",
    "The invariant says which calls it is about, but not what must be true for them.",
    "Add `reaches:`, `not_blocked: true`, `max_heard:` or `max_steps:`.",
  ),
  IVR805: text(
    "The invariant matches no menu",
    "`menus:` and `except:` leave no menu of the project, so the invariant is never checked.",
    "Correct the pattern. `*` matches any characters except `/`, and `**` matches any characters.",
  ),
  IVR806: text(
    "Menu not found",
    "The project has no menu with this key. A menu key is the `id:` of the menu, or the path of its file under ivrs/ without `.yaml`.",
    "Correct the menu key. The message shows similar ones.",
  ),
  IVR807: text(
    "The invariant matches no call",
    "A call that ends with a key of the menu always has `via: option`. An invariant with `key:` and another `via:` matches no call, so it can never fail.",
    "Remove `key:` or `via:`, or write two invariants.",
  ),
} satisfies Partial<Record<Code, CodeText>>;
