/** The reason of a system error in words, for example "permission denied". */
export function describeSystemError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? (code || String(error));
}

const reasons: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its links form a circle",
  EMFILE: "too many files are open",
  EISDIR: "it is a folder",
  EEXIST: "a part of its path is a file",
  ENOTDIR: "a part of its path is a file",
  ENAMETOOLONG: "its path is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is used up",
  EFBIG: "it would be larger than the system allows",
  EROFS: "the disk is read-only",
  EADDRINUSE: "the port is in use",
  EADDRNOTAVAIL: "this is not an address of this machine",
  ENOTFOUND: "this is not an address of this machine",
};
