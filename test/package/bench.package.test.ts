import { join } from "node:path";
import { expect, test } from "vitest";
import { start } from "../support/cli.ts";

test("compares start, validate, the language server and apply with their targets", async () => {
  const cwd = join(import.meta.dirname, "../..");
  const args = ["bench/run.mjs", "--smoke"];
  const { exit, stdout, stderr } = await start(process.execPath, args, { cwd }).finished;
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  const node = `\`node -e 0\`, Node ${process.versions.node}`;
  const parse = "bare parse of the same files";
  expect(rowsOf(stdout)).toEqual([
    ["`--version`", node, "1.5"],
    ["`validate`, 1 menu", node, "5"],
    ...(Number.parseInt(process.versions.node, 10) < 22
      ? []
      : [["`validate`, 1 menu, compile cache", node, "3.5"]]),
    ["`validate`, 4 menus", parse, "1.4"],
    ["`validate`, 40 menus", parse, ""],
    ["`validate`, 40 menus", "`validate`, 4 menus", "10"],
    ["`validate`, 4 shops from one `_defaults.yaml`", "the same shops written out", "1.6"],
    ["`fmt --check`, 4 menus", "`validate` of the same menus", "1.6"],
    ["`plan`, 4 new menus", "`validate` of the same menus", "1.25"],
    ["`test --from live`, 4 menus", "`test` of the same files", "2"],
    ["`lsp`, references after a keystroke, 8 menus", "`validate` of the same menus", "0.2"],
    ["`lsp`, rename after a keystroke, 8 menus", "`validate` of the same menus", "0.2"],
    ["`lsp`, a keystroke in a menu, 8 menus", "`validate` of the same menus", "0.2"],
    ["`lsp`, a keystroke in `ivrctl.yaml`, 8 menus", "`validate` of the same menus", "0.2"],
    ["`edit`, a change of 8 menus", "`validate` of the same menus", "0.5"],
    ["`edit`, a change of 8 menus", "`validate` of the same menus", "0.5"],
    ["`apply`, 20 creates at 20 ms, 16 at once", "bare undici", "1.5"],
    ["`apply`, 20 creates at 100 ms, 16 at once", "bare undici", "1.15"],
    [
      "`plan` of a change, 16 menus, 4 phone numbers",
      "`plan` of a change, 4 menus, 1 phone numbers",
      "4",
    ],
    ["`apply` on the sandbox, 8 menus", "`apply` on the sandbox, 2 menus", "4"],
    ["`graph --format mermaid`, 8 linked menus", "`graph --format mermaid`, 2 linked menus", "4"],
  ]);
});

/** Returns what was measured, its base and its target. A busy machine may miss the target. */
function rowsOf(markdown: string) {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [, what, ms, base, baseMs, times, target] = line.split("|").map((cell) => cell.trim());
      expect([ms, baseMs, times].map(Number).every((figure) => figure > 0)).toBe(true);
      return [what, base, target?.replace(" (missed)", "")];
    });
}
