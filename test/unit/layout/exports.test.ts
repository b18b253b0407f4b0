import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";
import { filesIn } from "./imports.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Names that several files export, with the convention that each follows. */
const conventionalNames = new Map([
  ["handler", "Lambda calls the export of this name."],
  ["route", "Routers call an endpoint of a service a route, and the page of a single-page application too."],
  ["Route", "As `route`."],
  ["EvaluateDialog", "A part that is loaded on first use has the name of the component that it loads."],
]);

/** Names that a source exports, types included. */
const exportsOf = (file: string, text: string): readonly string[] =>
  parseSync(file, text).module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => exportName.name ?? exportName.kind),
  );

/** Names that more than one of some sources export, with their files. */
const sharedNames = (sources: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> => {
  const exported = [...sources].flatMap(([file, text]) => exportsOf(file, text).map((name) => ({ name, file })));
  const filesByName = [...Map.groupBy(exported, ({ name }) => name)];
  return new Map(
    filesByName.flatMap(([name, places]) => (places.length > 1 ? [[name, places.map(({ file }) => file)]] : [])),
  );
};

test("a name is exported from one file of the service, except conventional names", () => {
  // The document names the schemas of the generated interface, for users and not for readers of the code.
  const files = filesIn("lib", "functions").filter((file) => file !== "lib/client/interface.ts");
  const shared = sharedNames(new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")])));

  expect([...shared].filter(([name]) => !conventionalNames.has(name))).toEqual([]);
  expect([...conventionalNames.keys()].filter((name) => !shared.has(name))).toEqual([]);
});

test("a name that two files export is detected, however they export it", () => {
  const sources = new Map([
    ["a.ts", "export const [a, { b: c }] = f(); export type T = string; export default 1; const d = 1;"],
    ["b.ts", "export function a() {} export class T {} const x = 1; export { x as c, x as d }; export default 2;"],
    ["c.tsx", 'const T = () => <p>{d}</p>; export { e as f } from "./a.ts"; export interface U { a: T }'],
  ]);

  expect(Object.fromEntries(sharedNames(sources))).toEqual(
    Object.fromEntries(["a", "c", "T", "Default"].map((name) => [name, ["a.ts", "b.ts"]])),
  );
});
