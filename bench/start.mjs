// @ts-check
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alternate, command, ratio, run, show, spread, table } from "./measure.mjs";

/** How many times as long as `node -e 0` a command may take, without and with Node's compile cache. */
const measured = [
  { args: ["--version"], without: 1.5, cached: 1.5 },
  { args: ["validate"], without: 4.5, cached: 3.5 },
];

/**
 * How long a process takes that has next to nothing to do, on this Node, or on those that
 * IVRCTL_BENCH_NODES names: paths with a comma between them.
 * @param {boolean} smoke
 */
export async function benchStart(smoke) {
  const nodes = process.env["IVRCTL_BENCH_NODES"]?.split(",") ?? [process.execPath];
  const rounds = smoke ? 1 : 40;
  const folder = mkdtempSync(join(tmpdir(), "ivrctl-bench-"));
  try {
    const project = join(folder, "project");
    run({ name: "init", args: [command, "init", "-C", project, "--ci", "none"] });
    const rows = nodes.flatMap((node) =>
      startsOf(node, project, join(folder, "compile-cache"), rounds),
    );
    return `Whole processes, ${rounds} rounds in turn: median (quartiles). \`validate\` is of the one menu that \`ivrctl init\` makes. Node's compile cache exists from Node 22.8 on. \`NODE_EXTRA_CA_CERTS\` is unset.

${table(["", "Node", "without compile cache, ms", "times `node -e 0`", "at most", "with compile cache, ms", "times `node -e 0`", "at most"], rows)}
`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} node
 * @param {string} project
 * @param {string} cache
 * @param {number} rounds
 * @returns {string[][]}
 */
function startsOf(node, project, cache, rounds) {
  const version = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
  const cached = { NODE_DISABLE_COMPILE_CACHE: "", NODE_COMPILE_CACHE: cache };
  const started = (/** @type {readonly string[]} */ args) => ({
    name: args.join(" "),
    program: node,
    args: [command, ...args],
    cwd: project,
  });
  const [base, ...runs] = alternate(
    [
      { name: "node -e 0", program: node, args: ["-e", "0"] },
      ...measured.map(({ args }) => started(args)),
      ...measured.map(({ args }) => ({ ...started(args), env: cached })),
    ],
    rounds,
  );
  return [
    ["`node -e 0`", version, show(spread(base.times), 1), "1", "", "", "", ""],
    ...measured.map(({ args, without, cached }, index) => {
      const [fresh, again] = [runs[index], runs[measured.length + index]];
      return [
        `\`ivrctl ${args.join(" ")}\``,
        version,
        show(spread(fresh.times), 1),
        show(ratio(fresh, base), 2),
        `${without}`,
        show(spread(again.times), 1),
        show(ratio(again, base), 2),
        `${cached}`,
      ];
    }),
  ];
}
