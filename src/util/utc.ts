/** A time as people read it, to the second: `2026-11-15 04:10:32 UTC`. Other text is unchanged. */
export function utc(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2 UTC");
}
