/**
 * A pattern of letters or digits of some script, made when it is first asked for. As a literal it
 * would cost at every start: V8 looks up all of them whenever it compiles the file.
 */
export function latePattern(pattern: string, flags = "u"): () => RegExp {
  let made: RegExp | undefined;
  return () => (made ??= new RegExp(pattern, flags));
}
