import { seeded } from "../../support/random.ts";
import { tryInjections } from "../../support/runs/injection-campaign.ts";
import { benchCoverage } from "./coverage.ts";
import { benchReserve } from "./reserve.ts";
import { benchOutcomes } from "./outcomes.ts";
import { trajectoriesIn } from "./trajectories.ts";

/** Texts that speak to the judge. */
const injections = 260;

const benchInjections = async (file: string, seed: number): Promise<void> => {
  const [trajectory] = trajectoriesIn(file);
  if (trajectory === undefined) return;
  const tried = await tryInjections(trajectory.trace, seeded(seed), injections);
  console.log("| texts that speak to the judge | tried | got out | marked |");
  console.log("|---|---|---|---|");
  const row = (name: string, own: typeof tried): void => {
    const [out, marked] = [own.filter(({ escaped }) => escaped), own.filter(({ flagged }) => flagged)];
    console.log(`| ${[name, own.length, out.length, marked.length].join(" | ")} |`);
  };
  for (const [family, own] of Map.groupBy(tried, ({ family: name }) => name)) row(family, own);
  row("all", tried);
};

/**
 * What a score can be trusted with: agreement of each metric with known outcomes, what is shown of long traces, what is set aside
 * for prompts beside their real tokens, and whether a text of a trace can speak to its judge.
 *
 * @param file trajectories with their outcome; only what needs none is measured without it.
 * @param models beside the rules.
 */
export const benchTrust = async (file: string | undefined, models: readonly string[], seed: number): Promise<void> => {
  benchCoverage(seed);
  if (file === undefined) {
    console.log("\nThe rest needs trajectories of known outcome: --trajectories FILE.ndjson.gz");
    return;
  }
  console.log();
  await benchReserve(trajectoriesIn(file));
  console.log();
  await benchInjections(file, seed);
  for (const model of ["offline/rules", ...models]) {
    console.log();
    await benchOutcomes(trajectoriesIn(file), model, seed);
  }
};
