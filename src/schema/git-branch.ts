/** The settings under `state:` of a git branch. */
export const gitFields = ["remote", "branch"] as const;

/** The settings, with variables filled in. */
export interface GitSettings {
  /** The name of a remote of the clone, or an address. */
  readonly remote: string;
  /** The start of the branch's name; the environment follows. */
  readonly branch: string;
}

export const standardGit: GitSettings = { remote: "origin", branch: "ivrctl-state" };

/** Parts with `/` between them, of characters that need no quoting in a shell. */
export const branchPattern =
  /^(?![-.])(?!.*(?:\.\.|\/\.|\/\/|\.lock(?:\/|$)))[A-Za-z0-9._/-]{1,150}(?<![/.])$/;
export const branchRule = "must be letters, digits, `.`, `_`, `-` and `/`";

/** Over http, a user name may be a token. git has its own places for credentials. */
export const remotePattern =
  /^(?!-)(?!https?:\/\/[^/]*@)(?![^@]*:\/\/[^/]*:[^/]*@)[^\s\p{Cc}]{1,500}$/iu;
export const remoteRule = "must be the name of a remote, or an address without credentials";

/** Returns the password or token in an http address; undefined if there is none. */
export function credentialsIn(address: string): string | undefined {
  return /^https?:\/\/(?:[^/:@]*:)?([^/@]+)@/i.exec(address)?.[1];
}
