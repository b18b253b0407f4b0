// First: an old Node.js version fails at later imports.
import "./infra/require-node.mjs";
import { defineConfig } from "vitest/config";
import { everyRun } from "./test/support/vitest/every-run.ts";

// Before anything is started: the workers have this process's environment.
process.env["DYNAMODB"] = "local";

const apiTests = [
  "slow/access/deletion",
  "slow/monitors/firing",
  "slow/monitors/monitors",
  "slow/restart",
  "runs/deletion",
  "runs/session-runs",
  "runs/trace-runs",
  "token",
  "traces/changes",
  "traces/list",
  "traces/merge",
].map((name) => `test/api/${name}.test.ts`);

/** The storage and the pipelines, on AWS's DynamoDB Local. Needs Java 17. */
export default defineConfig({
  test: {
    ...everyRun,
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: [
            "test/dynamodb-local/**/*.test.ts",
            "test/store/**/*.test.ts",
            "test/faults/**/*.test.ts",
            "test/local/slow/{dynamodb/dynamodb,local-stack,mapping/stream-mapping,npm-start}.test.ts",
            "test/unit/authorizer/{gate,api-key}.test.ts",
          ],
        },
      },
      {
        extends: true,
        test: { name: "api", include: apiTests, globalSetup: ["test/support/service/global-service.ts"] },
      },
    ],
  },
});
