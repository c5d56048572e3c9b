import { callCodes } from "./call-codes.ts";
import type { CodeText } from "./code-text.ts";
import { deployCodes } from "./deploy-codes.ts";
import { projectCodes } from "./project-codes.ts";
import { ruleCodes } from "./rule-codes.ts";
import { storeCodes } from "./store-codes.ts";

/**
 * Every code with its severity and text, in the order in which `ivrctl explain` lists them.
 * The meaning of a code never changes, and the number of a removed code is not used again.
 */
export const codes = {
  ...projectCodes,
  ...deployCodes,
  ...ruleCodes,
  ...callCodes,
  ...storeCodes,
} satisfies Record<`IVR${number}`, CodeText>;

export type Code = keyof typeof codes;

export function isCode(text: string): text is Code {
  return Object.hasOwn(codes, text);
}
