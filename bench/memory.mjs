// @ts-check
import { appliedProject } from "./applied.mjs";
import { weighed, count, megabytes, run, table } from "./measure.mjs";

const list = ["--agents", "agents.json"];

/** @type {readonly (readonly string[])[]} */
const commands = [
  ["test", ...list],
  ["compile", ...list],
  ["fmt", "--check"],
];

/**
 * The most memory that a command holds, by the size of the project, of those whose time is not measured.
 * @param {boolean} smoke
 */
export async function benchMemory(smoke) {
  const sizes = smoke ? [20] : [100, 1_000, 10_000];
  /** @type {{ name: string, mb: number }[][]} */
  const columns = [];
  for (const size of sizes) columns.push(await measure(size));
  const names = columns[0]?.map(({ name }) => name) ?? [];
  const rows = names.map((name, row) => [
    name,
    ...columns.map((column) => megabytes(column[row]?.mb ?? 0)),
  ]);
  const nothing = run({ name: "node", args: ["-e", "0"], weighed: true });
  return `The most memory (RSS) that a run held, in MB, of what has no such figure above; \`node -e 0\` holds ${megabytes(nothing.mb)}. One run each: where V8 collects its garbage differs by a tenth or two from run to run. ${count(1_000)} agents.

${table(["", ...sizes.map((size) => `${count(size)} menus`)], rows)}
`;
}

/** @param {number} menus */
async function measure(menus) {
  const { folder, mb } = await appliedProject(menus, 1_000);
  return [
    ...commands.map((args) => ({ name: titleOf(args), mb: run(weighed(folder, args)).mb })),
    { name: "`apply`, everything", mb },
    { name: "`state list`", mb: run(weighed(folder, ["state", "list"])).mb },
  ];
}

/** @param {readonly string[]} args */
function titleOf(args) {
  return `\`${args.filter((word) => !list.includes(word)).join(" ")}\``;
}
