/**
 * `npm run mutants`: removes one safeguard of the service at a time and reports the campaign or test that detects the
 * change.
 *     npm run mutants -- [--seed 1] [--only epoch]
 * `--only` selects the mutants whose description contains the text. Two mutants run at a time. Exits with 1 when a
 * mutant is undetected.
 */
import { parseArgs } from "node:util";
import { detectMutant } from "./catch.ts";
import { mutants } from "./mutants.ts";
import { mutantTree } from "./tree.ts";

const lanes = 2;

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, only: { type: "string", default: "" } },
});
const seed = Number(values.seed);
const selectedMutants = mutants.filter(({ without }) => without.includes(values.only));
const startedAt = performance.now();
console.log(`${selectedMutants.length} mutants from seed ${seed}\n\n| without | caught by | |\n|---|---|---|`);

let alive = 0;
const queue = selectedMutants.values();
const lane = async (): Promise<void> => {
  const tree = mutantTree();
  try {
    for (const mutant of queue) {
      tree.apply(mutant);
      const caught = await detectMutant(tree, mutant, seed);
      alive += caught.kind === "alive" ? 1 : 0;
      const [catcher, description] = caught.kind === "alive" ? ["**nothing**", ""] : [caught.by, caught.description];
      console.log(`| ${mutant.without} | ${catcher} | ${description.replaceAll(/[|\n]/gu, " ").slice(0, 120)} |`);
    }
  } finally {
    tree.remove();
  }
};
await Promise.all(Array.from({ length: lanes }, lane));
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(`\n${selectedMutants.length - alive} of ${selectedMutants.length} caught in ${seconds} s`);
process.exit(alive === 0 ? 0 : 1);
