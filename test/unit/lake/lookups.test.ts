import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderStore } from "../../../lib/lake/folder.ts";
import { lakeLookups } from "../../../lib/lake/lookups.ts";
import { temporaryFolder } from "../../support/lake/lake.ts";

const noTraces = { filters: {}, sortBy: "cost", order: "asc", limit: 1, after: null } as const;

test("lookups that could not be opened are opened by the next call, and then kept", async () => {
  const folder = temporaryFolder();
  const directory = join(folder, "copies");
  const packagePath = join(import.meta.dirname, "../../..", "/");
  const lookups = lakeLookups(folderStore(folder), { packagePath, directory, memoryMegabytes: 700, threads: 1 });
  writeFileSync(directory, "A file in the place of the folder.");
  const failures = await Promise.allSettled([lookups(), lookups()]);
  rmSync(directory);

  const { traces } = await lookups();
  const page = await traces({ ...noTraces, days: [] });

  expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(page).toEqual({ traces: [], total: 0, days: 0 });
  expect((await lookups()).traces).toBe(traces);
});
