import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    expect: { requireAssertions: true },
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
