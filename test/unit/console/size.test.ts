import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buildConsole } from "../../../infra/functions/console-page.ts";
import { operations } from "../../../lib/client/operations.ts";

const { page, assets, outputs } = await buildConsole();
const scripts = Object.entries(assets).flatMap(([name, text]) => (name.endsWith(".js") ? [text] : []));

/** Returns the names of a file and of the files that it imports, without those that it loads later. */
const filesOf = (name: string, files = new Set<string>()): ReadonlySet<string> => {
  files.add(name);
  for (const { kind, path } of outputs[name]?.imports ?? [])
    if (kind === "import-statement" && !files.has(basename(path))) filesOf(basename(path), files);
  return files;
};

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + gzipSync(text).length, 0);

const addresses = Array.from(page.matchAll(/(?:href|src)="([^"]*)"/gu), ([, address = ""]) => address);
const shell = new Set(addresses.flatMap((address) => [...filesOf(basename(address))]));
const pageFiles = globSync("lib/console/pages/*.tsx").map((path) => ({
  source: path.replaceAll("\\", "/"),
  title: basename(path, ".tsx"),
}));

test("the document loads the console's own hashed files only, has no inline script or style, and loads no file twice", () => {
  expect(addresses.length).toBeGreaterThan(2);
  expect(addresses.filter((address) => !/^console\/assets\/[\w-]+-[A-Z0-9]{8}\.(?:js|css)$/u.test(address))).toEqual(
    [],
  );
  expect(new Set(addresses).size).toBe(addresses.length);
  expect([...shell].toSorted()).toEqual(addresses.map((address) => basename(address)).toSorted());
  expect(page).not.toMatch(/<style|style=|<script(?![^>]+src=)|\son\w+=|<(?:img|iframe|base)\b/u);
  expect(Object.entries(assets).filter(([name, text]) => name.endsWith(".css") && /@import|url\(/u.test(text))).toEqual(
    [],
  );
});

test.each(pageFiles)(
  "the page $title loads at most 60 KB first and 40 KB later, compressed, and ten files",
  ({ source, title }) => {
    const [name] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
    const later = [...filesOf(name ?? "")].filter((file) => !shell.has(file));
    const lazyBytes = bytesOf(later.map((file) => assets[file] ?? ""));
    const firstBytes = bytesOf([page, ...[...shell].map((file) => assets[file] ?? "")]) + lazyBytes;
    console.log(
      `${title}: ${firstBytes} bytes first, ${lazyBytes} from another page, ${shell.size + later.length} files`,
    );

    expect(later).toContain(name);
    expect(lazyBytes).toBeGreaterThan(100);
    expect(lazyBytes).toBeLessThanOrEqual(40_000);
    expect(firstBytes).toBeLessThanOrEqual(60_000);
    expect(shell.size + later.length).toBeLessThanOrEqual(10);
  },
);

test("a file that is loaded later than its page has at most 40 KB, compressed", () => {
  const sizes = scripts.map((text) => gzipSync(text).length);

  expect(sizes.filter((size) => size > 40_000)).toEqual([]);
});

test("two builds of the same sources have the same names and texts", async () => {
  expect(await buildConsole()).toEqual({ page, assets, outputs });
});

test("no text of users is ever read as markup", () => {
  const writers = /dangerouslySetInnerHTML:|insertAdjacentHTML|outerHTML|document\.write\(/u;

  expect(scripts.filter((text) => writers.test(text))).toEqual([]);
});

test("the scripts have those of the client's operations that the console calls, and not all", () => {
  const sources = globSync("lib/console/**/*.{ts,tsx}").map((path) => readFileSync(path, "utf8"));
  const memberNames = sources.flatMap((text) => Array.from(text.matchAll(/\.(\w+)\b/gu), ([, name]) => name ?? ""));
  const expected = new Set(memberNames.filter((name) => Object.hasOwn(operations, name)));
  const [bundledIds, absent] = [Object.keys(operations), [...expected]].map((ids) =>
    ids.filter((id) => scripts.some((text) => text.includes(`${id}:["`))),
  );

  expect(expected.size).toBeGreaterThan(50);
  expect(absent).toEqual([...expected]);
  expect(bundledIds?.length).toBeLessThan(Object.keys(operations).length);
});
