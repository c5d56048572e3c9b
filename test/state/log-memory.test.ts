import { MemoryBlocks, MemoryLog } from "../support/memory-log.ts";
import { type Place, storeConformance } from "./conformance.ts";
import { logConformance } from "./log-conformance.ts";

const place = async (): Promise<Place> => {
  const places = new Map<string, MemoryBlocks>();
  const at = (environment: string) => {
    const found = places.get(environment) ?? new MemoryBlocks();
    places.set(environment, found);
    return found;
  };
  return {
    log: (environment) => new MemoryLog(at(environment), `memory/${environment}`),
    remove: async (environment, n) => void at(environment).blocks.delete(n),
  };
};

logConformance("memory", place);
storeConformance("a log in memory", place);
