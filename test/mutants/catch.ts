import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import type { Mutant } from "./mutant.ts";
import type { MutantTree } from "./tree.ts";

/** Result of running a mutant: detected by a campaign or test, or undetected. */
export type Catch =
  | {
      readonly kind: "caught";
      readonly by: string;
      readonly description: string;
      /** Files with a failed test. */
      readonly failedFiles?: readonly string[];
    }
  /** No campaign or test failed. */
  | { readonly kind: "alive" };

/** Default number of seeds within which a fault campaign must detect a mutant. */
const defaultSeeds = 50;

/** Time limit of a campaign or test run in milliseconds; exceeding the limit counts as detection. */
const maxMilliseconds = 15 * 60_000;

const run = async (root: string, parameters: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, parameters, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, CI: "true", ...env },
  });
  const [end, hung] = [Promise.withResolvers<number | null>(), { yes: false }];
  child.once("exit", end.resolve);
  const timer = setTimeout(() => {
    hung.yes = true;
    child.kill("SIGKILL");
  }, maxMilliseconds);
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), end.promise]);
  clearTimeout(timer);
  return { output, errors, code, hung: hung.yes };
};

const campaign = async ({ root }: MutantTree, name: string, seed: number, seeds: number): Promise<Catch> => {
  const { output, errors, code, hung } = await run(root, ["test/mutants/hunt.ts", name, String(seed), String(seeds)]);
  if (hung) return { kind: "caught", by: name, description: "The process did not end in time." };
  if (code !== 0) throw new Error(`The campaign ${name} did not run: ${errors.slice(-2_000)}`);
  const finding = JSON.parse(output.trim().split("\n").at(-1) ?? "null") as { seed: number; violation: string } | null;
  return finding === null
    ? { kind: "alive" }
    : { kind: "caught", by: `${name} seed ${finding.seed}`, description: finding.violation };
};

const tests = async (
  { root }: MutantTree,
  files: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Catch> => {
  const { output, errors, code, hung } = await run(root, ["node_modules/vitest/vitest.mjs", "run", ...files], env);
  if (hung) return { kind: "caught", by: files.join(" "), description: "The process did not end in time." };
  if (code === 0) return { kind: "alive" };
  // Vitest colours its lines and appends durations.
  const plain = stripVTControlCharacters(output);
  const failed = /^\s+×\s+(.+?)(?:\s\d+ms)?$/mu.exec(plain)?.[1];
  if (failed === undefined) throw new Error(`The tests ${files.join(" ")} did not run: ${plain.slice(-2_000)}`);
  const failedFiles = [
    ...new Set(
      stripVTControlCharacters(errors)
        .matchAll(/^ FAIL .*?(test\/\S+\.test\.ts)/gmu)
        .map(([, file = ""]) => file),
    ),
  ];
  return { kind: "caught", by: files.join(" "), description: failed.trim(), failedFiles };
};

/**
 * Runs the campaign or tests that should detect the mutant of a tree.
 * @throws Error when the campaign or the tests do not run.
 */
export const detectMutant = (
  tree: MutantTree,
  { caughtBy }: Mutant,
  seed: number,
  seeds = defaultSeeds,
): Promise<Catch> => (typeof caughtBy === "string" ? campaign(tree, caughtBy, seed, seeds) : tests(tree, caughtBy));

/** What of `npm test` should detect a mutant: its tests, or the few schedules of its campaign that run there. */
const quickTestsOf = ({ caughtBy }: Mutant): readonly string[] =>
  typeof caughtBy === "string"
    ? ["test/faults/short-campaigns.test.ts", "-t", `campaign of ${caughtBy} `]
    : caughtBy.filter((path) => !path.includes("/slow/"));

/** Runs the part of `npm test` that should detect the mutant of a tree. */
export const detectMutantQuickly = async (tree: MutantTree, mutant: Mutant): Promise<Catch> => {
  const files = quickTestsOf(mutant);
  return files.length === 0 ? { kind: "alive" } : await tests(tree, files, { TESTS: "quick" });
};
