import type { CompiledMenu } from "../../compile/menu.ts";
import { digestOf } from "./digest.ts";
import { namingOf } from "./naming.ts";
import type { Made } from "./plan.ts";

/** What a compiled menu is sent as, and what its file calls the ids in it. */
export function madeOf({ payload, menu }: CompiledMenu): Made {
  return { payload, digest: digestOf(payload), naming: namingOf(menu) };
}
