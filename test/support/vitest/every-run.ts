import { compileCache } from "./compile-cache.ts";
import { limits, stepTimeout } from "./limits.ts";
import { sampleSeed } from "./sample-seed.ts";

/** Settings of every run of tests, whatever engine it uses. */
export const everyRun = {
  ...limits,
  setupFiles: ["./test/support/vitest/seed-properties.ts"],
  reporters: ["default", "./test/support/vitest/plain-summary.ts"],
  expect: { requireAssertions: true, poll: { timeout: stepTimeout } },
  // Files share processes: half of the time of short ones went into loading the same modules again.
  isolate: false,
  // Node.js loads the sources as `npm start` does: nothing is transformed, and what was compiled once is kept.
  experimental: { viteModuleRunner: false },
  // What is loaded was compiled once. Constructs keep no stack traces, and calls of deprecated ones are not traced (`npm run synth` names them).
  env: {
    ...compileCache,
    SAMPLE_SEED: sampleSeed,
    CDK_DISABLE_STACK_TRACE: "1",
    JSII_DEPRECATED: "quiet",
  },
  // As many as a small machine has cores: each further process loads and compiles the same modules again.
  maxWorkers: 2,
};
