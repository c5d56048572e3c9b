import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { TestRunner, afterAll, beforeAll, beforeEach, expect } from "vitest";

interface Need {
  readonly programs: readonly string[];
  /** Folders besides those of PATH. */
  readonly in?: readonly string[];
  readonly packages: string;
}

const debian = "/usr/lib/postgresql";

/** The programs that tests need besides Node, npm and git, and the Debian packages that have them. */
const known = {
  PostgreSQL: {
    programs: ["initdb"],
    in: existsSync(debian) ? readdirSync(debian).map((name) => join(debian, name, "bin")) : [],
    packages: "postgresql",
  },
  PgBouncer: { programs: ["pgbouncer"], in: ["/usr/sbin"], packages: "pgbouncer" },
  radosgw: {
    programs: ["radosgw", "ceph-mon", "ceph-osd", "monmaptool"],
    packages: "radosgw ceph-mon ceph-osd ceph-common",
  },
  aws: { programs: ["aws"], packages: "awscli" },
  curl: { programs: ["curl"], packages: "curl" },
  Neovim: { programs: ["nvim"], packages: "neovim" },
  openssl: { programs: ["openssl"], packages: "openssl" },
  librsvg: { programs: ["rsvg-convert"], packages: "librsvg2-bin" },
  script: { programs: ["script"], packages: "bsdutils" },
  fish: { programs: ["fish"], packages: "fish" },
  zsh: { programs: ["zsh"], packages: "zsh" },
} as const satisfies Record<string, Need>;

type Name = keyof typeof known;

/** Skips the tests of this file or suite if one of these programs is not installed. */
export function needs(...names: readonly Name[]): void {
  beforeEach(() => need(...names));
}

/** Skips the test that calls this if one of these programs is not installed. */
export function need(...names: readonly Name[]): void {
  const name = names.find((one) => !isInstalled(one));
  if (name === undefined) return;
  const { packages } = known[name];
  // The reporter in skipped.ts prints this.
  const reason = `${name} is not installed. Install it with: sudo apt-get install ${packages}`;
  TestRunner.getCurrentTest()?.context.skip(reason);
}

/** Starts a server for all tests of a file, which are skipped if one of these programs is not installed. */
export function sharedServer<Server extends { close(): unknown }>(
  names: readonly Name[],
  start: () => Promise<Server>,
): () => Server {
  let server: Server | undefined;
  needs(...names);
  beforeAll(async () => {
    if (names.every(isInstalled)) server = await start();
  });
  afterAll(() => void server?.close());
  return () => server ?? expect.unreachable("The server has not been started.");
}

export function isInstalled(name: Name): boolean {
  const { programs, in: folders = [] }: Need = known[name];
  const path = (process.env["PATH"] ?? "").split(":").concat(folders);
  return programs.every((program) => path.some((folder) => existsSync(join(folder, program))));
}
