// @ts-check
import { rmSync } from "node:fs";
import { join } from "node:path";
import { generate } from "./generate.mjs";
import { alternate, command, ratio, show, spread, table } from "./measure.mjs";

/** How many times as long as `node -e 0` a command may take. */
const limits = new Map([
  ["ivrctl --version", 1.5],
  ["ivrctl validate", 4],
]);

/**
 * How long a process takes that has next to nothing to do.
 * @param {boolean} smoke
 */
export async function benchStart(smoke) {
  const project = generate({ menus: 1, agents: 6, shape: "snapshot" });
  try {
    /** @type {import("./measure.mjs").Contestant[]} */
    const contestants = [
      { name: "node -e 0", args: ["-e", "0"] },
      { name: "ivrctl --version", args: [command, "--version"] },
      { name: "ivrctl --help", args: [command, "--help"] },
      {
        name: "ivrctl validate",
        args: [command, "validate"],
        cwd: project.folder,
        prepare: () => rmSync(join(project.folder, ".ivrctl"), { recursive: true, force: true }),
        did: ({ stdout }) => stdout.startsWith("1 menu is valid"),
      },
    ];
    const rounds = smoke ? 1 : 40;
    const times = alternate(contestants, rounds);
    const base = times[0] ?? [];
    const rows = contestants.map(({ name }, index) => {
      const own = times[index] ?? [];
      const limit = limits.get(name);
      return [
        `\`${name}\``,
        show(spread(own), 1),
        show(ratio(own, base), 2),
        limit === undefined ? "" : `${limit}`,
      ];
    });
    return `Whole processes, ${rounds} rounds in turn: median (quartiles). \`validate\` is of one menu with a snapshot of six agents, without any cache; \`NODE_EXTRA_CA_CERTS\` is unset.

${table(["", "ms", "times `node -e 0`", "at most"], rows)}
`;
  } finally {
    project.remove();
  }
}
