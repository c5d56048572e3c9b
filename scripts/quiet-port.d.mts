/** A port of 127.0.0.1 that is free and that nobody else asks for. */
export function quietPort(): Promise<number>;
