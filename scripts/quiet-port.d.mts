/** Returns a free port of 127.0.0.1 that no other test worker uses. */
export function quietPort(): Promise<number>;
