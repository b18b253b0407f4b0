import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Texts of the files by path, inserted when handlers or the CDK package are bundled: a bundle has no files to read. */
declare const PAGE_FILES: Readonly<Record<string, string>>;

const filesOf = (folder: string, pattern: string, prefix = ""): readonly (readonly [path: string, text: string])[] =>
  globSync(pattern, { cwd: folder }).map((path) => [
    `${prefix}${path.replaceAll("\\", "/")}`,
    readFileSync(join(folder, path), "utf8"),
  ]);

const readFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...filesOf(import.meta.dirname, "{*.{css,js},programs/*/*.{mjs,py}}"),
    ...filesOf(join(import.meta.dirname, "../../../skill/assay"), "**/*.md", "skill/"),
  ]);

/**
 * Texts of the files that documentation pages contain, by path below the folder of the pages, `programs/python/agno.py`, or of the skill
 * for coding agents: `skill/SKILL.md`.
 */
export const pageFiles = typeof PAGE_FILES === "undefined" ? readFiles() : PAGE_FILES;

/** Returns the text of a file by its path below the folder of the pages. @throws Error if there is no such file. */
export const pageFile = (path: string): string => {
  const text = pageFiles[path];
  if (text === undefined) throw new Error(`The documentation pages have no file ${path}.`);
  return text;
};

/**
 * Style sheet of the documentation pages. Colours follow the system's light or dark mode with a contrast of at least
 * 4.5 to 1. The table of contents is a sidebar on pages at least 64 rem wide, and collapsed at the top of narrower
 * pages.
 */
export const pageStyle = `\n${pageFile("style.css")}`;

/**
 * Script of the documentation pages: search field and table of contents. Without the script, the pages lack only the search.
 *
 * The search finds words of all pages, in any order and case. It loads the search index when the field gets the focus. `/` focuses the
 * field, Enter opens the first result, arrow keys move through the results, Escape clears the field.
 */
export const pageScript = `\n${pageFile("script.js")}`;
