/**
 * `npm run surplus`: lists fields that no reader knows in conditional spreads, `...(hasScores && { withScores: true })`, where the compiler
 * checks no names. It compiles a copy of the sources in which each such object is the argument of a function whose type parameter is
 * inferred from the object around it. That object needs a declared type: without one the parameter is `never`.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

const copy = "node_modules/.cache/surplus-fields";

const declaration = `
type FieldsOf<Target> = Target extends string | number | boolean | null | undefined | readonly unknown[] | PromiseLike<unknown>
  ? never : string extends keyof Target ? Target : Partial<Target>;
declare const spreadFields: <Target = never>(fields: NoInfer<FieldsOf<Target>>) => FieldsOf<Target>;
`;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

/** Yields the object literals that the operand of a spread may be; none for an operand without a condition. */
const conditionalObjects = function* (operand: unknown, isConditional = false): Generator<Node> {
  if (!isNode(operand)) return;
  if (operand.type === "ObjectExpression" && isConditional) yield operand;
  else if (operand.type === "LogicalExpression" && operand["operator"] === "&&")
    yield* conditionalObjects(operand["right"], true);
  else if (operand.type === "ParenthesizedExpression") yield* conditionalObjects(operand["expression"], isConditional);
  else if (operand.type === "ConditionalExpression")
    for (const branch of ["consequent", "alternate"]) yield* conditionalObjects(operand[branch], true);
};

const spreadObjects = function* (value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const each of value) yield* spreadObjects(each);
  if (!isNode(value)) return;
  if (value.type === "ObjectExpression" && Array.isArray(value["properties"]))
    for (const property of value["properties"])
      if (isNode(property) && property.type === "SpreadElement") yield* conditionalObjects(property["argument"]);
  for (const child of Object.values(value)) yield* spreadObjects(child);
};

/** Returns the source with each conditionally spread object as an argument of `spreadFields`. */
const withCalls = (path: string, source: string): string => {
  const edits = [...spreadObjects(parseSync(path, source).program)]
    .filter(({ start, end }) => end - start > "{}".length)
    .flatMap(({ start, end }) => [[start, "spreadFields("] as const, [end, ")"] as const]);
  return edits
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [at, insertion]) => text.slice(0, at) + insertion + text.slice(at), source);
};

fs.rmSync(copy, { recursive: true, force: true });
for (const path of fs.globSync(["package.json", "tsconfig.json", "{lib,functions}/**/*.{ts,tsx,json}"])) {
  const source = fs.readFileSync(path, "utf8");
  fs.mkdirSync(dirname(join(copy, path)), { recursive: true });
  fs.writeFileSync(join(copy, path), /\.tsx?$/u.test(path) ? withCalls(path, source) : source);
}
for (const folder of ["lib", "lib/console"]) fs.writeFileSync(join(copy, folder, "spread-fields.d.ts"), declaration);

const compile = (...arguments_: readonly string[]): boolean =>
  spawnSync("tsc", ["--noUnusedLocals", "false", ...arguments_], { cwd: copy, stdio: "inherit" }).status === 0;

const isClean = [compile(), compile("-p", "lib/console")].every(Boolean);
process.exitCode = isClean ? 0 : 1;
