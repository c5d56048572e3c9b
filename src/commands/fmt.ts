import { command } from "../cli/command.ts";
import { formatFiles } from "../operations/format.ts";

export default command({
  arguments: { "[PATH..]": "Files, keys of menus, or folders (default: the whole project)" },
  about:
    "Format menus, tests and ivrctl.yaml.\n\nPrints the paths of the files that changed. Uses Prettier, with lines of up to 120 characters. Keeps comments and the order of fields. A formatted menu compiles to the same payload.",
  flags: {
    check: {
      about: "Write nothing; print the paths that would change, and exit with 1 if there are any",
    },
  },
  examples: [
    ["ivrctl fmt", "the whole project"],
    ["ivrctl fmt ivrs/front-desk.yaml", "one file"],
    ["ivrctl fmt --check", "in a pipeline: fail if a file is not formatted"],
  ],
  run: (context) => formatFiles(context, { paths: context.args, check: context.flags.check }),
});
