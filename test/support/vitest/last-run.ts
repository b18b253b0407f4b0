import { join } from "node:path";
import * as v from "valibot";
import { readJson, writeJson } from "../../../infra/local/host/json-file.ts";
import { repository } from "../../../infra/local/repository.ts";

const lastRun = v.object({ seconds: v.number(), passed: v.number(), failed: v.number() });
export type LastRun = v.InferOutput<typeof lastRun>;

const file = join(repository, ".local/last-test.json");

/** Keeps how the whole suite ended. */
export const keepTestRun = (run: LastRun): void => writeJson(file, run);

/** How the whole suite ended when it was run here last; undefined when it never was. */
export const lastTestRun = (): LastRun | undefined => {
  const kept = readJson(file);
  return kept === undefined ? undefined : v.parse(lastRun, kept);
};
