import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { benchChecks } from "../checks.ts";
import { benchByHand } from "./by-hand.ts";
import { benchFolds } from "./folds.ts";
import { benchCustomAndBuiltIn } from "./beside-built-in.ts";

/**
 * Measures the cost of custom metrics beside built-in ones, of checks and of aggregate metrics, and verifies scores
 * independently.
 * @param file trajectories; none are scored without it.
 */
export const benchCustom = async (traces: readonly IdentifiedTrace[], file: string | undefined): Promise<void> => {
  await benchCustomAndBuiltIn(traces.map((trace) => mergeTrace(null, trace)));
  console.log();
  await benchChecks(traces);
  console.log();
  await benchFolds();
  if (file === undefined) return console.log("\nThe rest needs trajectories: --trajectories FILE.ndjson.gz");
  console.log();
  await benchByHand(file);
};
