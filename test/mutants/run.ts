/**
 * `npm run mutants`: takes one defence of the service away at a time, and sees which campaign or test notices.
 *
 *     npm run mutants -- [--seed 1] [--only epoch]
 *
 * `--only` takes those whose text contains it. Two are hunted at a time. Ends with 1 when a mutant stays alive.
 */
import { parseArgs } from "node:util";
import { tryToCatch } from "./catch.ts";
import { mutants } from "./mutants.ts";
import { mutantTree } from "./tree.ts";

const lanes = 2;

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, only: { type: "string", default: "" } },
});
const seed = Number(values.seed);
const chosen = mutants.filter(({ without }) => without.includes(values.only));
const begun = performance.now();
console.log(`${chosen.length} mutants from seed ${seed}\n\n| without | caught by | |\n|---|---|---|`);

let alive = 0;
const queue = chosen.values();
const lane = async (): Promise<void> => {
  const tree = mutantTree();
  try {
    for (const mutant of queue) {
      tree.grow(mutant);
      const caught = await tryToCatch(tree, mutant, seed);
      alive += caught.kind === "alive" ? 1 : 0;
      const [by, said] = caught.kind === "alive" ? ["**nothing**", ""] : [caught.by, caught.said];
      console.log(`| ${mutant.without} | ${by} | ${said.replaceAll(/[|\n]/gu, " ").slice(0, 120)} |`);
    }
  } finally {
    tree.remove();
  }
};
await Promise.all(Array.from({ length: lanes }, lane));
const seconds = Math.round((performance.now() - begun) / 1000);
console.log(`\n${chosen.length - alive} of ${chosen.length} caught in ${seconds} s`);
process.exit(alive === 0 ? 0 : 1);
