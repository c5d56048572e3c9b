import type { Reporter, TestModule } from "vitest/node";

/** Lists the skipped tests at the end of a run, by reason: what is missing and how to install it. */
export default class Skipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const reasons = new Map<string, Map<string, number>>();
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        // Tests without a reason were excluded on the command line.
        if (result.state !== "skipped" || result.note === undefined) continue;
        const files = reasons.get(result.note) ?? new Map<string, number>();
        reasons.set(result.note, files);
        const file = module.relativeModuleId;
        files.set(file, (files.get(file) ?? 0) + 1);
      }
    }
    for (const [reason, files] of reasons) {
      console.log(`\nSkipped: ${reason}`);
      for (const [file, count] of files) {
        console.log(`  ${file} (${count} ${count === 1 ? "test" : "tests"})`);
      }
    }
  }
}
