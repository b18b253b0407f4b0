import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { FunctionDefinition } from "../../infra/local/lambda/function-definition.ts";
import { median } from "../bench/median.ts";
import type { Vital } from "./vital.ts";

const imports = 7;

/**
 * Script that prints the CPU milliseconds of importing a module. Lambda provides a global to functions that stream
 * their replies.
 */
const script = `
globalThis.awslambda = { streamifyResponse: (handler) => handler };
const before = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
process.exit();`;

/** Median CPU milliseconds of the first import of a function's bundle in a new process without a compile cache. */
const coldImport = ({ file, environment }: FunctionDefinition): number =>
  median(
    Array.from({ length: imports }, () => {
      const parameters = ["--input-type=module", "--eval", script, pathToFileURL(file).href];
      const env = { ...environment, AWS_REGION: "us-east-1" };
      return Number(execFileSync(process.execPath, parameters, { cwd: dirname(file), env, encoding: "utf8" }));
    }),
  );

/** Path of the bundle that the file of a function in the local runtime loads. */
const bundleOf = (file: string): string => {
  const path = /await import\("([^"]+)"/u.exec(readFileSync(file, "utf8"))?.[1];
  if (path === undefined) throw new Error(`${file} does not load a bundle.`);
  return resolve(dirname(file), path);
};

const bytes = (count: number): string => `${count.toLocaleString("en-US")} bytes`;

/** Sizes of the functions' bundles, and import times of some. */
export const bundleVitals = (functions: readonly FunctionDefinition[]): readonly Vital[] => {
  const sized = functions
    .map((definition) => ({ definition, size: statSync(bundleOf(definition.file)).size }))
    .toSorted((a, b) => a.size - b.size);
  const [largest, ingest] = [
    sized.at(-1),
    sized.find(({ definition }) => /RoutescreateTraceFunction/u.test(definition.name)),
  ];
  if (largest === undefined || ingest === undefined) throw new Error("The template has no function for POST /traces.");
  return [
    { name: `bundles, median of ${sized.length}`, figure: bytes(median(sized.map(({ size }) => size))) },
    { name: `bundles, largest (${largest.definition.name})`, figure: bytes(largest.size) },
    { name: "cold import of `POST /traces`, CPU", figure: `${coldImport(ingest.definition).toFixed(0)} ms` },
    { name: "cold import of the largest, CPU", figure: `${coldImport(largest.definition).toFixed(0)} ms` },
  ];
};
