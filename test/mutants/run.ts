/**
 * `npm run mutants`: removes one safeguard of the service at a time and reports the campaign or test that detects the
 * change.
 *     npm run mutants -- [--seed 1] [--only epoch] [--quick]
 * `--only` selects the mutants whose description contains the text. Two mutants run at a time. Exits with 1 when a
 * mutant is undetected. `--quick` asks what `npm test` alone detects: it exits with 1 below 85 % of the mutants, or when
 * one of money, access or statistics is undetected.
 */
import { parseArgs } from "node:util";
import { detectMutant, detectMutantQuickly } from "./catch.ts";
import { mutants, requiredMutants } from "./mutants.ts";
import type { Mutant } from "./mutant.ts";
import { mutantTree } from "./tree.ts";

const lanes = 2;

/** Smallest share of all mutants that `npm test` detects. */
const minQuickShare = 0.85;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const selectedMutants = mutants.filter(({ without }) => without.includes(values.only));
const startedAt = performance.now();
console.log(`${selectedMutants.length} mutants from seed ${seed}\n\n| without | caught by | |\n|---|---|---|`);

const alive: Mutant[] = [];
const failedFiles = new Set<string>();
const queue = selectedMutants.values();
const lane = async (): Promise<void> => {
  const tree = mutantTree();
  try {
    for (const mutant of queue) {
      tree.apply(mutant);
      const detection = values.quick ? detectMutantQuickly(tree, mutant) : detectMutant(tree, mutant, seed);
      // One that did not run, as on a machine that starts no process in time, counts as undetected and costs no other its run.
      const caught = await detection.catch((error: unknown) => {
        console.error(error);
        return { kind: "alive" } as const;
      });
      if (caught.kind === "alive") alive.push(mutant);
      else for (const file of caught.failedFiles ?? []) failedFiles.add(file);
      const [catcher, description] = caught.kind === "alive" ? ["**nothing**", ""] : [caught.by, caught.description];
      console.log(`| ${mutant.without} | ${catcher} | ${description.replaceAll(/[|\n]/gu, " ").slice(0, 120)} |`);
    }
  } finally {
    tree.remove();
  }
};
await Promise.all(Array.from({ length: lanes }, lane));
const seconds = Math.round((performance.now() - startedAt) / 1000);
const share = 1 - alive.length / selectedMutants.length;
const catchers = values.quick ? " by npm test alone" : "";
console.log(`\n${(100 * share).toFixed(0)} % of ${selectedMutants.length} caught${catchers} in ${seconds} s`);
const required = selectedMutants.filter((mutant) => requiredMutants.has(mutant));
const missed = alive.filter((mutant) => requiredMutants.has(mutant));
console.log(`Of money, access and statistics: ${required.length - missed.length} of ${required.length}`);
const files = new Set(selectedMutants.flatMap(({ caughtBy }) => (typeof caughtBy === "string" ? [] : caughtBy)));
const idleFiles = [...files].filter((file) => ![...failedFiles].some((failed) => failed.startsWith(file)));
if (idleFiles.length > 0) console.log(`\nCaught nothing:\n${idleFiles.toSorted().join("\n")}`);
const isEnough = values.quick && share >= minQuickShare && missed.length === 0;
process.exit(alive.length === 0 || isEnough ? 0 : 1);
