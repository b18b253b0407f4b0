import { join } from "node:path";
import * as v from "valibot";
import { readJson, writeJson } from "../../../infra/local/host/json-file.ts";
import { repository } from "../../../infra/local/repository.ts";

const lastRun = v.object({ seconds: v.number(), passed: v.number(), failed: v.number() });
export type LastRun = v.InferOutput<typeof lastRun>;

const file = join(repository, ".local/last-test.json");

/** Stores the result of a full test run. */
export const keepTestRun = (run: LastRun): void => writeJson(file, run);

/** Result of the last full test run on this machine; undefined without one. */
export const lastTestRun = (): LastRun | undefined => {
  const storedRun = readJson(file);
  return storedRun === undefined ? undefined : v.parse(lastRun, storedRun);
};
