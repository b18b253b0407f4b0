import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";
import { filesIn } from "./imports.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Participles and adjectives that do not describe the value they name. */
const bareNames = new Set("found given known said own left asked seen told tried made held".split(" "));
const bareName = new RegExp(String.raw`\b(?:${[...bareNames].join("|")})\b`, "u");

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** Properties of a syntax node that hold declared identifiers: variables, parameters, types, functions. */
const declaringKeys: Readonly<Record<string, readonly string[]>> = {
  VariableDeclarator: ["id"],
  FunctionDeclaration: ["id", "params"],
  FunctionExpression: ["id", "params"],
  ArrowFunctionExpression: ["params"],
  ClassDeclaration: ["id"],
  TSTypeAliasDeclaration: ["id"],
  TSInterfaceDeclaration: ["id"],
  TSFunctionType: ["params"],
  TSMethodSignature: ["params"],
  CatchClause: ["param"],
};

/** Identifiers bound by a pattern. */
const namesOf = (pattern: unknown): readonly Node[] => {
  if (Array.isArray(pattern)) return pattern.flatMap(namesOf);
  if (!isNode(pattern)) return [];
  if (pattern.type === "Identifier") return [pattern];
  if (pattern.type === "AssignmentPattern") return namesOf(pattern["left"]);
  if (pattern.type === "RestElement") return namesOf(pattern["argument"]);
  if (pattern.type === "ArrayPattern") return namesOf(pattern["elements"]);
  if (pattern.type === "ObjectPattern") return namesOf(pattern["properties"]);
  if (pattern.type === "Property") return namesOf(pattern["value"]);
  return [];
};

const declaredIn = (node: unknown): readonly Node[] => {
  if (Array.isArray(node)) return node.flatMap(declaredIn);
  if (!isNode(node)) return [];
  const declared = (declaringKeys[node.type] ?? []).flatMap((key) => namesOf(node[key]));
  return [...declared, ...Object.values(node).flatMap(declaredIn)];
};

/** Declared names of a source that are bare participles, with their lines. */
const bareNamesOf = (file: string, text: string): readonly string[] => {
  // Most files have none of the words anywhere, and need not be parsed.
  if (!bareName.test(text)) return [];
  return declaredIn(parseSync(file, text).program).flatMap(({ name, start }) =>
    typeof name === "string" && bareNames.has(name)
      ? [`${file}:${text.slice(0, start).split("\n").length} ${name}`]
      : [],
  );
};

test.each(["lib", "functions", "infra", "test"])("no name declared in %s is a bare participle", (folder) => {
  const bare = filesIn(folder).flatMap((file) => bareNamesOf(file, readFileSync(join(root, file), "utf8")));

  expect(bare).toEqual([]);
});

test("bare participles are detected where they are declared, and nowhere else", () => {
  const declaring = "const f = ({ a: found }: T, told = 1, [...left]: U) => { for (const seen of told) g(seen); };";
  const mentioning = 'const row = item.found; send({ held: row, said: "told" }); // seen';

  expect(bareNamesOf("a.ts", declaring)).toEqual(["a.ts:1 found", "a.ts:1 told", "a.ts:1 left", "a.ts:1 seen"]);
  expect(bareNamesOf("a.ts", mentioning)).toEqual([]);
});
