/**
 * A module from outside. In a file of its own, loaded when needed, because code that was kept
 * (src/code-cache.ts) cannot import: Node would not know on whose behalf.
 */
export async function foreignModule(address: string): Promise<unknown> {
  const module: unknown = await import(address);
  return module;
}
