import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import type { Mutant } from "./mutant.ts";
import type { MutantTree } from "./tree.ts";

/** How a mutant was met. */
export type Catch =
  | { readonly kind: "caught"; readonly by: string; readonly said: string }
  /** Nothing noticed. */
  | { readonly kind: "alive" };

/** Seeds within which a campaign has to notice. */
const mostSeeds = 50;

/** A mutant that makes everything hang is noticed by that. */
const longest = 15 * 60_000;

const run = async (root: string, parameters: readonly string[]) => {
  const child = spawn(process.execPath, parameters, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, CI: "true" },
  });
  const [end, hung] = [Promise.withResolvers<number | null>(), { yes: false }];
  child.once("exit", end.resolve);
  const timer = setTimeout(() => {
    hung.yes = true;
    child.kill("SIGKILL");
  }, longest);
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), end.promise]);
  clearTimeout(timer);
  return { output, errors, code, hung: hung.yes };
};

const campaign = async ({ root }: MutantTree, name: string, seed: number, seeds: number): Promise<Catch> => {
  const { output, errors, code, hung } = await run(root, ["test/mutants/hunt.ts", name, String(seed), String(seeds)]);
  if (hung) return { kind: "caught", by: name, said: "It never came to an end." };
  if (code !== 0) throw new Error(`The campaign ${name} did not run: ${errors.slice(-2_000)}`);
  const found = JSON.parse(output.trim().split("\n").at(-1) ?? "null") as { seed: number; said: string } | null;
  return found === null ? { kind: "alive" } : { kind: "caught", by: `${name} seed ${found.seed}`, said: found.said };
};

const tests = async ({ root }: MutantTree, files: readonly string[]): Promise<Catch> => {
  const { output, code, hung } = await run(root, ["node_modules/vitest/vitest.mjs", "run", ...files]);
  if (hung) return { kind: "caught", by: files.join(" "), said: "It never came to an end." };
  if (code === 0) return { kind: "alive" };
  // The runner colours its lines and says how long each took.
  const plain = stripVTControlCharacters(output);
  const failed = /^\s+×\s+(.+?)(?:\s\d+ms)?$/mu.exec(plain)?.[1];
  if (failed === undefined) throw new Error(`The tests ${files.join(" ")} did not run: ${plain.slice(-2_000)}`);
  return { kind: "caught", by: files.join(" "), said: failed.trim() };
};

/** Lets a tree's mutant be looked for. @throws Error when what looks for it does not run. */
export const tryToCatch = (tree: MutantTree, { caughtBy }: Mutant, seed: number, seeds = mostSeeds): Promise<Catch> =>
  typeof caughtBy === "string" ? campaign(tree, caughtBy, seed, seeds) : tests(tree, caughtBy);
