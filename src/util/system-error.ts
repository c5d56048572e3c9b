/** Says why the operating system refused something, for example "permission denied". */
export function describeSystemError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? (code || String(error));
}

const reasons: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its links go in a circle",
  EMFILE: "too many files are open",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENAMETOOLONG: "its path is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "no more room is allowed to you on that disk",
  EFBIG: "it would be larger than is allowed",
  EROFS: "the disk is read-only",
};
