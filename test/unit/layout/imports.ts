import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../..");

const imported = /(?:\bfrom|\bimport)\s*\(?\s*"(?<path>\.[^"]+)"/gu;

/** An import between two files, type imports and `import()` included; paths are relative to the project's root. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** The TypeScript files below some folders of the project, without those of packages that were installed there. */
export const filesIn = (...folders: readonly string[]): readonly string[] =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: (name) => name === "node_modules" }))
    .map((path) => path.replaceAll("\\", "/"));

/** The imports of other files of the project in the text of a file. */
export const importsIn = (from: string, text: string): readonly Import[] =>
  [...text.matchAll(imported)].map(({ groups }) => ({
    from,
    to: normalize(join(dirname(from), groups?.["path"] ?? "")).replaceAll("\\", "/"),
  }));

/** Every import between files of the project that some files make. */
export const importsOf = (files: readonly string[]): readonly Import[] =>
  files.flatMap((from) => importsIn(from, readFileSync(join(root, from), "utf8")));

/** Import cycles: each cycle once, as the path that closes it. */
export const circlesIn = (imports: readonly Import[]): readonly (readonly string[])[] => {
  const next = Map.groupBy(imports, ({ from }) => from);
  const visitedFiles = new Set<string>();
  const circles: (readonly string[])[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file]);
    if (at >= 0 || visitedFiles.has(file)) return;
    for (const { to } of next.get(file) ?? []) walk(to, [...path, file]);
    visitedFiles.add(file);
  };
  for (const file of next.keys()) walk(file, []);
  return circles;
};
