import { output } from "./common.ts";

export const ValidateOutput = output("validate", {});
