import type { CompiledMenu } from "../../compile/compile.ts";
import { digestOf } from "../digest.ts";
import { namingOf } from "../naming.ts";
import type { Made } from "./plan.ts";

/** What a compiled menu is sent as, and what its file calls the ids in it. */
export function madeOf({ payload, bound }: NonNullable<CompiledMenu["result"]>): Made {
  return { payload, digest: digestOf(payload), naming: namingOf(bound) };
}
