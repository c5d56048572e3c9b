import type { Reporter, TestModule } from "vitest/node";

/** Lists the skipped tests at the end of a run, by reason: what is missing and how to install it. */
export default class Skipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const reasons = new Map<string, string[]>();
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        const reason = (result.state === "skipped" && result.note) || "No reason given.";
        const names = reasons.get(reason) ?? [];
        reasons.set(reason, names);
        names.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
    }
    for (const [reason, names] of reasons) {
      const count = names.length === 1 ? "1 test" : `${names.length} tests`;
      console.log(`\nSkipped ${count}: ${reason}`);
      for (const name of names) console.log(`  ${name}`);
    }
  }
}
