// @ts-check
import { appliedProject } from "./applied.mjs";
import { generate } from "./generate.mjs";
import { cold, count, peakMemory, table } from "./measure.mjs";

const list = ["--agents", "agents.json"];

/** What is run in a project that was never applied. @type {readonly (readonly string[])[]} */
const commands = [
  ["validate", ...list],
  ["test", ...list],
  ["compile", ...list],
  ["fmt", "--check"],
  ["plan", ...list],
  ["graph", "--format", "svg", ...list],
  ["preview", "--out", "site", ...list],
];

/** Nobody looks at a picture of more menus than this. */
const mostDrawn = 1_000;

/**
 * The most memory that each command holds, by the size of the project.
 * @param {boolean} smoke
 */
export async function benchMemory(smoke) {
  const sizes = smoke ? [20] : [100, 1_000, 10_000];
  /** @type {{ name: string, memory: number | undefined }[][]} */
  const columns = [];
  for (const size of sizes) columns.push(await measure(size, smoke));
  const names = columns[0]?.map(({ name }) => name) ?? [];
  const rows = names.map((name, row) => [
    name,
    ...columns.map((column) => column[row]?.memory?.toFixed(0) ?? ""),
  ]);
  return `The most memory (RSS) that a run held, in MB; \`node -e 0\` holds ${peakMemory({ name: "node", args: ["-e", "0"] }).toFixed(0)}. One run each: where V8 collects its garbage differs by a tenth or two from run to run. ${count(1_000)} agents, unless said otherwise; nothing is remembered from an earlier run.

${table(["", ...sizes.map((size) => `${count(size)} menus`)], rows)}
`;
}

/**
 * @param {number} menus
 * @param {boolean} smoke
 */
async function measure(menus, smoke) {
  const many = smoke ? 200 : 50_000;
  const [fresh, crowded] = [generate({ menus, agents: 1_000 }), generate({ menus, agents: many })];
  const of = (/** @type {string} */ folder, /** @type {readonly string[]} */ args) => {
    const drawn = args[0] === "graph" || args[0] === "preview";
    return drawn && menus > mostDrawn ? undefined : peakMemory(cold(folder, args));
  };
  try {
    const applied = await appliedProject(menus, 1_000);
    return [
      ...commands.map((args) => ({ name: titleOf(args), memory: of(fresh.folder, args) })),
      {
        name: `\`validate\`, ${count(many)} agents`,
        memory: of(crowded.folder, ["validate", ...list]),
      },
      { name: "`plan`, nothing to do", memory: of(applied.folder, ["plan", ...list]) },
      { name: "`apply`, everything", memory: applied.memory },
      { name: "`state list`", memory: of(applied.folder, ["state", "list"]) },
    ];
  } finally {
    fresh.remove();
    crowded.remove();
  }
}

/** @param {readonly string[]} args */
function titleOf(args) {
  const words = args.filter((word) => !list.includes(word)).join(" ");
  return args[0] === "plan" ? `\`${words}\`, everything to do` : `\`${words}\``;
}
