import { defineConfig } from "vitest/config";

const apiTests = "test/api/**/*.test.ts";
const previousVersionTests = "test/previous-version/**/*.test.ts";

export default defineConfig({
  test: {
    setupFiles: ["./test/support/seed-properties.ts"],
    reporters: ["default", "./test/support/plain-summary.ts"],
    expect: { requireAssertions: true },
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Many tests wait for the service rather than for a core.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: "parts", include: ["test/**/*.test.ts"], exclude: [apiTests, previousVersionTests] },
      },
      { extends: true, test: { name: "api", include: [apiTests], globalSetup: ["test/support/global-service.ts"] } },
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
