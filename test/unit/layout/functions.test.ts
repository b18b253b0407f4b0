import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  parseSync,
  Visitor,
  type ArrowFunctionExpression,
  type Function as PlainFunction,
  type Node,
} from "oxc-parser";
import { expect, test } from "vitest";
import { filesIn } from "./imports.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Number of functions of more than 100 lines that are left; a new one takes the place of one that was split. */
const maxLongFunctions = 16;

type AnyFunction = ArrowFunctionExpression | PlainFunction;

const isFunction = (node: Node | null | undefined): node is AnyFunction =>
  node?.type === "ArrowFunctionExpression" ||
  node?.type === "FunctionExpression" ||
  node?.type === "FunctionDeclaration";

/** Names of the functions that a block declares. */
const functionsIn = (block: readonly Node[]): ReadonlySet<string> =>
  new Set(
    block.flatMap((statement) =>
      statement.type === "VariableDeclaration"
        ? statement.declarations.flatMap(({ id, init }) =>
            id.type === "Identifier" && isFunction(init) ? [id.name] : [],
          )
        : [],
    ),
  );

/** True for a function that only makes functions: it ends with returning one, or an object that has one. */
const isFactory = ({ body }: AnyFunction): boolean => {
  const block = body?.type === "BlockStatement" ? body.body : [];
  const last = block.at(-1);
  const result = last?.type === "ReturnStatement" ? last.argument : body;
  if (result?.type !== "ObjectExpression") return isFunction(result);
  const names = functionsIn(block);
  return result.properties.some(
    (property) =>
      property.type === "Property" &&
      (isFunction(property.value) || (property.value.type === "Identifier" && names.has(property.value.name))),
  );
};

/**
 * Functions of a source with more lines than a maximum, as `file:line lines`. A function within a long one is not
 * listed again; of a factory the functions within are measured instead.
 */
const longFunctions = (file: string, text: string, max = 100): readonly string[] => {
  if (text.split("\n").length <= max) return [];
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length;
  const long: { readonly line: number; readonly lines: number; readonly end: number }[] = [];
  const measure = (node: AnyFunction): void => {
    if (node.start < (long.at(-1)?.end ?? 0) || isFactory(node)) return;
    const [line, lastLine] = [lineOf(node.start), lineOf(node.end)];
    if (lastLine - line >= max) long.push({ line, lines: lastLine - line + 1, end: node.end });
  };
  new Visitor({
    ArrowFunctionExpression: measure,
    FunctionDeclaration: measure,
    FunctionExpression: measure,
  }).visit(parseSync(file, text).program);
  return long.map(({ line, lines }) => `${file}:${line} ${lines}`);
};

test("few functions of the service are longer than 100 lines", () => {
  const files = filesIn("lib", "functions").filter((file) => file !== "lib/client/interface.ts");
  const long = files.flatMap((file) => longFunctions(file, readFileSync(join(root, file), "utf8")));

  expect(long.length > maxLongFunctions ? long : []).toEqual([]);
});

test.each([
  ["a function, once with those within", "const f = () => {\n  const g = () => {\n\n  };\n  g();\n};", ["1 6"]],
  ["a component", "export const F = () => (\n  <p>\n  </p>\n);", ["1 4"]],
  ["a method", "class A {\n  b() {\n\n\n  }\n}", ["2 4"]],
  ["a function of a factory", "const f = () => {\n\n  return {\n    g: () => {\n\n\n    },\n  };\n};", ["4 4"]],
  ["no factory of short functions", "const f = () => {\n  const g = () => 1;\n\n  return { g };\n};", []],
  ["a function that returns an object of values", "const f = () => {\n  const g = 1;\n\n  return { g };\n};", ["1 5"]],
])("lines are counted of %s", (_, text, long) => {
  expect(longFunctions("a.tsx", text, 3)).toEqual(long.map((each) => `a.tsx:${each}`));
});
