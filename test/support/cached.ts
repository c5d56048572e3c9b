import { join } from "node:path";
import {
  type Ran,
  compileCommand,
  graphCommand,
  testCommand,
  validateCommand,
} from "./commands.ts";

type Options = Parameters<typeof validateCommand>[0];

/** Everything that the reading commands print of a project, in these formats or in every one. */
export async function sayings(
  options: Options,
  formats = { validate: ["text", "json", "github", "sarif"], test: ["text", "json", "junit"] },
): Promise<Record<string, Ran>> {
  const said: Record<string, Ran> = {};
  for (const format of formats.validate) {
    said[`validate ${format}`] = await validateCommand({ ...options, format });
  }
  said["compile"] = await compileCommand(options);
  for (const format of formats.test) {
    const flags = { ...options.flags, coverage: true };
    const globals = { ...options.globals, verbose: true };
    const ran = await testCommand({ ...options, format, flags, globals });
    // How long a run took is another each time.
    said[`test ${format}`] = { ...ran, out: ran.out.replaceAll(/time="[\d.]+"/g, "") };
  }
  said["graph"] = await graphCommand(options);
  return said;
}

/** The variables that have a project's cache used, whatever its size, or not. */
export function caching(wish: "always" | "off", home: string): Record<string, string> {
  return { IVRCTL_CACHE: wish, XDG_CACHE_HOME: join(home, "of-user") };
}
