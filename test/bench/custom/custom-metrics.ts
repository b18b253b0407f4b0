import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { benchChecks } from "../checks.ts";
import { benchByHand } from "./by-hand.ts";
import { benchFolds } from "./folds.ts";
import { benchCustomAndBuiltIn } from "./beside-built-in.ts";

/**
 * What metrics of a team's own cost beside built-in ones, checks and folds, and whether their scores are those that one makes by hand.
 *
 * @param file trajectories; without it none are scored.
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
