import { relative } from "node:path";
import type { Reporter, TestModule, TestSpecification, Vitest } from "vitest/node";
import { repository } from "../../../infra/local/repository.ts";
import { keepTestRun } from "./last-run.ts";
import { sampleSeed } from "./sample-seed.ts";

/** Number of files that a run's summary lists as the slowest. */
const slowest = 10;

/** Ends a run with its slowest files and one plain summary line, and stores the result of `npm test`. */
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
      process.env["TESTS"] === "quick" &&
      specifications.length === allSpecifications?.length &&
      this.#vitest?.config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const count = (state: string): number => states.filter((testState) => testState === state).length;
    const [passed, failed] = [count("passed"), count("failed") + brokenModules];
    if (process.env["SAMPLES"] !== "all") console.log(`\nSamples of exhaustive tests: SAMPLE_SEED=${sampleSeed}`);
    const seconds = (performance.now() - this.#started) / 1000;
    if (modules.length > slowest) {
      const files = modules.toSorted((a, b) => b.diagnostic().duration - a.diagnostic().duration).slice(0, slowest);
      const lines = files.map((file) => {
        const time = (file.diagnostic().duration / 1000).toFixed(1);
        return `${time.padStart(7)} s  ${relative(repository, file.moduleId)}`;
      });
      console.log(`\nThe slowest files:\n${lines.join("\n")}`);
    }
    console.log(`\n${passed} passed, ${failed} failed in ${seconds.toFixed(0)} s`);
    if (this.#isWhole) keepTestRun({ seconds, passed, failed });
  }
}
