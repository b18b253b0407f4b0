// First: an old Node.js version fails at later imports.
import "./infra/require-node.mjs";
import { defineConfig } from "vitest/config";
import { limits } from "./test/support/vitest/limits.ts";

/** The programs of `/docs/send-traces`, run with their vendors' SDKs against a local service and a simulated model. */
export default defineConfig({
  test: {
    ...limits,
    include: ["test/vendors/**/*.test.ts"],
    globalSetup: ["test/support/service/global-service.ts"],
    reporters: ["verbose", "./test/support/vitest/plain-summary.ts"],
    hideSkippedTests: true,
    expect: { requireAssertions: true },
  },
});
