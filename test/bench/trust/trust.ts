import { seeded } from "../../support/random.ts";
import { tryInjections } from "../../support/runs/injection-campaign.ts";
import { benchCorrections } from "./corrections.ts";
import { benchCoverage } from "./coverage.ts";
import { benchReserve } from "./reserve.ts";
import { benchOutcomes } from "./outcomes.ts";
import { benchReplay } from "./replay.ts";
import { trajectoriesIn } from "./trajectories.ts";

/** Number of injection texts. */
const injections = 260;

const benchInjections = async (file: string, seed: number): Promise<void> => {
  const [trajectory] = trajectoriesIn(file);
  if (trajectory === undefined) return;
  const attempts = await tryInjections(trajectory.trace, seeded(seed), injections);
  console.log("| texts that speak to the judge | tried | got out | marked |");
  console.log("|---|---|---|---|");
  const row = (name: string, ofFamily: typeof attempts): void => {
    const [out, marked] = [ofFamily.filter(({ escaped }) => escaped), ofFamily.filter(({ flagged }) => flagged)];
    console.log(`| ${[name, ofFamily.length, out.length, marked.length].join(" | ")} |`);
  };
  for (const [family, ofFamily] of Map.groupBy(attempts, ({ family: name }) => name)) row(family, ofFamily);
  row("all", attempts);
};

/**
 * Measures the trustworthiness of scores: pass rates corrected by labels, agreement of each metric with known outcomes, coverage of long
 * traces, reservations compared with actual tokens, and resistance to prompt injection.
 * @param file trajectories with outcomes; parts that need them are skipped without it.
 * @param models models to measure in addition to the rules.
 */
export const benchTrust = async (file: string | undefined, models: readonly string[], seed: number): Promise<void> => {
  benchCorrections(seed);
  console.log();
  benchCoverage(seed);
  if (file === undefined) {
    console.log("\nThe rest needs trajectories of known outcome: --trajectories FILE.ndjson.gz");
    return;
  }
  console.log();
  await benchReplay(trajectoriesIn(file), seed);
  console.log();
  await benchReserve(trajectoriesIn(file));
  console.log();
  await benchInjections(file, seed);
  for (const model of ["offline/rules", ...models]) {
    console.log();
    await benchOutcomes(trajectoriesIn(file), model, seed);
  }
};
