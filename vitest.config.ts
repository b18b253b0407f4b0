import { defineConfig } from "vitest/config";
import { dynoxideProgram } from "./infra/local/dynamodb/dynoxide.ts";

const apiTests = "test/api/**/*.test.ts";
const previousVersionTests = "test/previous-version/**/*.test.ts";

/** What asks one engine alone: DynamoDB Local needs Java (`npm run test:dynamodb-local`), dynoxide is not everywhere. */
const engineTests = [
  "test/dynamodb-local/**",
  ...(dynoxideProgram() === undefined ? ["test/local/dynamodb/dynoxide.test.ts"] : []),
];

export default defineConfig({
  test: {
    setupFiles: ["./test/support/vitest/seed-properties.ts"],
    reporters: ["default", "./test/support/vitest/plain-summary.ts"],
    expect: { requireAssertions: true },
    // Limits that catch what hangs: no test is about speed, and a busy machine takes many times as long.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // Many tests wait for the service rather than for a core.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: [apiTests, previousVersionTests, ...engineTests],
        },
      },
      {
        extends: true,
        test: { name: "api", include: [apiTests], globalSetup: ["test/support/service/global-service.ts"] },
      },
      {
        extends: true,
        test: {
          name: "previous-version",
          include: [previousVersionTests],
          globalSetup: ["test/previous-version/global-assembly.ts"],
        },
      },
    ],
  },
});
