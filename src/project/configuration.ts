import type { Diagnostics } from "../diagnostics/diagnostic.ts";
import type { Source } from "../diagnostics/source.ts";
import type { Host } from "../util/host.ts";
import type { Config } from "./config-file.ts";
import type { Environment } from "./environment.ts";
import type { Files } from "./files.ts";

/** The configuration of the project in a folder, as far as it can be read. */
export interface Configuration {
  readonly root: string;
  readonly host: Host;
  readonly files: Files;
  readonly source: Source | undefined;
  readonly config: Config | undefined;
  readonly environment: Environment | undefined;
  /** The problems found so far, by their place. */
  readonly found: Readonly<Record<"files" | "config" | "environment" | "plugins", Diagnostics>>;
}
