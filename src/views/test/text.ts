import type { TestResult } from "../../call/run.ts";
import { type Terminal, visible } from "../terminal.ts";
import { type Report, placeOf } from "./report.ts";
import { walkLines } from "./walk.ts";

/** Each failed test as the walk it took; with `verbose` the others by name. */
export function reportText({ results }: Report, verbose: boolean, terminal: Terminal): string {
  return results
    .filter(({ misses }) => verbose || misses.length > 0)
    .map((result) =>
      result.misses.length > 0 ? failedText(result, terminal) : passedText(result, terminal),
    )
    .join("");
}

export function tallyText({ results, notRun }: Report): string {
  const failed = results.filter(({ misses }) => misses.length > 0).length;
  const menus = new Set(results.map(({ key }) => key)).size;
  const counts = `${results.length - failed} passed, ${failed} failed, in ${menus === 1 ? "1 menu" : `${menus} menus`}`;
  const said = results.length === 0 ? "There are no tests to run" : counts;
  const left =
    notRun.length === 0 ? "" : `; not run, because the menu is at fault: ${notRun.join(", ")}`;
  return `${visible(said + left)}.\n`;
}

function passedText({ key, test }: TestResult, { signs, styleOut }: Terminal): string {
  return `${styleOut("green", signs ? "✓" : "ok")} ${visible(`${key}: ${test.name}`)}\n`;
}

function failedText(result: TestResult, { signs, styleOut }: Terminal): string {
  const { key, test } = result;
  const { file, line } = placeOf(test);
  const lines = walkLines(result);
  const width = Math.max(...lines.map(({ what }) => visible(what).length));
  const rows = lines.map(({ expected, what, comes }) => {
    const row = `${visible(what).padEnd(width)}  ${visible(comes)}`;
    return expected ? `  ${styleOut("red", `- ${row}`)}` : `    ${row}`;
  });
  const mark = styleOut(["bold", "red"], signs ? "✗" : "FAILED");
  const head = `${mark} ${styleOut("bold", visible(`${key}: ${test.name}`))}`;
  return `${head}\n  ${styleOut("dim", `--> ${visible(file)}:${line}`)}\n${rows.join("\n")}\n\n`;
}
