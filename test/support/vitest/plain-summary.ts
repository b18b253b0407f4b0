import type { Reporter, TestModule } from "vitest/node";

/** Closes a run with one plain line, for readers that know no test runner by name. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const count = (state: string): number => states.filter((found) => found === state).length;
    console.log(`\n${count("passed")} passed, ${count("failed") + broken} failed`);
  }
}
