// First: an old Node.js version fails at later imports. `globSync` as a named import would fail even before this one.
import "./infra/require-node.mjs";
import fs from "node:fs";
import { defineConfig } from "vitest/config";
import { dynoxideProgram } from "./infra/local/dynamodb/dynoxide-program.ts";
import { boundCompileCache } from "./test/support/vitest/compile-cache.ts";
import { everyRun } from "./test/support/vitest/every-run.ts";

/** Tests that start something for all their files, and those with a run of their own: `test:dynamodb-local`, `vendors`. */
const others = new Set(["api", "previous-version", "dynamodb-local", "vendors"]);

/** Kinds in processes of their own: one that needs little, and one whose modules no other loads. All others share two processes. */
const separate = new Set(["infra", "unit"]);

/** The folders of tests that need nothing but what each file starts for itself. */
const files = fs.globSync("test/*/**/*.test.ts", { exclude: (name) => name === "node_modules" });
const folders = new Set(files.map((path) => path.split(/[/\\]/u)[1] ?? ""));
const kinds = [...folders].filter((name) => !others.has(name)).toSorted();

/** What asks dynoxide alone, or opens what it wrote: it does not exist for every platform. */
const dynoxideTests = ["test/local/slow/dynamodb/dynoxide.test.ts", "test/previous-version/**"];
/** What needs DuckDB, an optional package. */
const lakeTests = ["test/{store,store/slow,unit}/lake/**", "test/api/{,slow/}exports/**", "test/faults/lake/*.test.ts"];
const hasDuckDb =
  fs.existsSync("node_modules/@duckdb/node-api") && fs.globSync("node_modules/@duckdb/node-bindings-*").length > 0;
const exclude = [
  "**/node_modules/**",
  ...(process.env["TESTS"] === "quick" ? ["test/*/slow/**"] : []),
  ...(dynoxideProgram() === undefined ? dynoxideTests : []),
  ...(hasDuckDb ? [] : lakeTests),
];

boundCompileCache();

export default defineConfig({
  test: {
    ...everyRun,
    sequence: { groupOrder: 1 },
    // In the order of their names: first what waits longest.
    projects: [
      {
        extends: true,
        test: {
          name: "api",
          // One more than the others: many of these tests wait for the service. Groups run one after the other.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
          include: ["test/api/**/*.test.ts"],
          exclude,
          globalSetup: ["test/support/service/global-service.ts"],
        },
      },
      ...Object.entries(Object.groupBy(kinds, (kind) => (separate.has(kind) ? kind : "parts"))).map(
        ([name, folders = []]) => ({
          extends: true as const,
          test: { name, include: folders.map((folder) => `test/${folder}/**/*.test.ts`), exclude },
        }),
      ),
      {
        extends: true,
        test: {
          name: "previous-version",
          include: ["test/previous-version/**/*.test.ts"],
          exclude,
          globalSetup: ["test/previous-version/global-assembly.ts"],
        },
      },
    ],
  },
});
