import { didYouMean, nearest } from "../util/nearest.ts";
import { faultsOf, isMapping } from "./payload-faults.ts";
import { jsonFault, locator } from "../yaml/json-place.ts";
import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import { PayloadSchema } from "../schema/payload.ts";
import type { Payload } from "../schema/wire.ts";

/** A payload as the service takes it, alone or in the map that `ivrctl compile` prints. */
export function readPayload(
  source: Source,
  key: string,
  diagnostics: Diagnostics,
): Payload | undefined {
  let value: unknown;
  try {
    value = JSON.parse(source.text);
  } catch (error) {
    diagnostics.add("IVR632", jsonFault(source, error), "This is not JSON.");
    return undefined;
  }
  const { payload, path, others } = within(value, key);
  if (others !== undefined) {
    diagnostics.add(
      "IVR632",
      source.top(),
      `This file holds payloads, but none of ${key}.`,
      didYouMean(nearest(key, others)),
    );
    return undefined;
  }
  const read = PayloadSchema.safeParse(payload);
  if (read.success) return read.data;
  const locate = locator(source);
  for (const fault of faultsOf(read.error.issues, payload)) {
    diagnostics.add("IVR632", locate([...path, ...fault.path]), fault.message, fault.hint);
  }
  return undefined;
}

interface Within {
  readonly payload: unknown;
  readonly path: readonly string[];
  /** The keys of a map that does not have this one. */
  readonly others?: readonly string[];
}

function within(value: unknown, key: string): Within {
  const whole = { payload: value, path: [] };
  if (!isMapping(value)) return whole;
  // No field of a payload is a mapping: a mapping under the key can only be its payload.
  if (Object.hasOwn(value, key) && isMapping(value[key])) {
    return { payload: value[key], path: [key] };
  }
  const all = Object.values(value);
  return all.length > 0 && all.every(isMapping) ? { ...whole, others: Object.keys(value) } : whole;
}
