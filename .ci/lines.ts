/**
 * `npm run lines`: counts the lines of code, without blank ones and comments, and compares them with the allowances of `lines.json`.
 * An allowance is raised by a commit that changes nothing else and says why.
 */
import fs from "node:fs";
import { parseSync } from "oxc-parser";
import allowances from "./lines.json" with { type: "json" };

/** Files that a program writes, or that hold data or sample programs: listed without an allowance. */
const apart: readonly (readonly [name: string, pattern: string])[] = [
  ["generated", "lib/client/interface.ts"],
  ["data", "lib/**/*.json"],
  ["sample programs", "lib/contract/openapi/page/programs/{javascript,python}/*"],
];

const wings = [
  ["service", "lib/**/*.ts"],
  ["functions", "functions/**/*.ts"],
  ["console", "lib/console/**/*.{ts,tsx,css}"],
  ["infra", "{infra,.ci}/**/*.{ts,mjs}"],
  ["tests", "test/**/*.{ts,tsx,mjs,py}"],
] as const;

const withoutComments = (path: string, source: string): string => {
  if (!/\.(?:ts|tsx|mjs)$/u.test(path)) return source.replaceAll(/\/\*.*?\*\//gsu, "");
  const { comments } = parseSync(path, source);
  return comments.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), source);
};

const linesOf = (path: string): number =>
  withoutComments(path, fs.readFileSync(path, "utf8"))
    .split("\n")
    .filter((line) => line.trim() !== "").length;

const filesOf = (pattern: string): readonly string[] =>
  fs.globSync(pattern, { exclude: (name) => name === "node_modules" });

const countOf = (files: Iterable<string>): number => [...files].reduce((sum, path) => sum + linesOf(path), 0);

const apartFiles = apart.map(([name, pattern]) => [name, filesOf(pattern)] as const);
const consoleFiles = filesOf("lib/console/**/*");
const otherFiles = new Set(apartFiles.flatMap(([, files]) => files));
const begunWork: readonly Partial<Record<(typeof wings)[number][0], number>>[] = allowances.filter(
  ({ begun }) => begun,
);
let isWithin = true;
for (const [wing, pattern] of wings) {
  const wingFiles = filesOf(pattern).filter((path) => wing === "console" || !consoleFiles.includes(path));
  const count = countOf(wingFiles.filter((path) => !otherFiles.has(path)));
  const allowance = begunWork.reduce((sum, row) => sum + (row[wing] ?? 0), 0);
  isWithin &&= count <= allowance;
  console.log(`${wing.padEnd(16)} ${count} of ${allowance} lines${count > allowance ? ": above the allowance" : ""}`);
}
for (const [name, files] of apartFiles) console.log(`${name.padEnd(16)} ${countOf(files)} lines`);
process.exitCode = isWithin ? 0 : 1;
