import type { Reporter, TestModule, TestSpecification, Vitest } from "vitest/node";
import { keepTestRun } from "./last-run.ts";
import { sampleSeed } from "./sample-seed.ts";

/** Ends a run with one plain summary line, and stores the result of a full run. */
export default class PlainSummary implements Reporter {
  #vitest: Vitest | undefined;
  #isWhole = false;
  #started = 0;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    this.#started = performance.now();
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const allSpecifications = await this.#vitest?.globTestSpecifications();
    this.#isWhole =
      specifications.length === allSpecifications?.length && this.#vitest?.config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const count = (state: string): number => states.filter((testState) => testState === state).length;
    const [passed, failed] = [count("passed"), count("failed") + brokenModules];
    if (process.env["SAMPLES"] !== "all") console.log(`\nSamples of exhaustive tests: SAMPLE_SEED=${sampleSeed}`);
    console.log(`\n${passed} passed, ${failed} failed`);
    if (this.#isWhole) keepTestRun({ seconds: (performance.now() - this.#started) / 1000, passed, failed });
  }
}
