import { setTimeout as sleep } from "node:timers/promises";

/** Waits; where the signal ends it, that is thrown as it was given. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
