import { globSync, readFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { operations } from "../../lib/client/operations.ts";

const repository = resolve(import.meta.dirname, "../..");
const folder = join(repository, "lib/console");

/** esbuild plugin that removes operations the console does not use from the client's table; they are 1 % of the script. */
const onlyConsoleOperations: Plugin = {
  name: "named operations",
  setup: (builder) => {
    // oxlint-disable-next-line require-unicode-regexp -- esbuild parses the filter as a Go regular expression, which has no such flag.
    builder.onLoad({ filter: /client[/\\]operations\.ts$/ }, () => {
      const sources = globSync("**/*.{ts,tsx}", { cwd: folder }).map((path) =>
        readFileSync(join(folder, path), "utf8"),
      );
      const words = new Set(sources.flatMap((text) => text.match(/\w+/gu) ?? []));
      const consoleOperations = Object.entries(operations).filter(([id]) => words.has(id));
      return {
        contents: `export const operations = ${JSON.stringify(Object.fromEntries(consoleOperations))};`,
        loader: "ts",
      };
    });
  },
};

/** The console as the service sends it: an HTML document, and the files that it loads from `console/assets/`. */
export interface ConsoleFiles {
  readonly page: string;
  /** Texts of scripts and of the style sheet by file name. A name contains a hash of the text, so it never names another text. */
  readonly assets: Readonly<Record<string, string>>;
}

/** The console with the imports between its files, by file name. */
export interface ConsoleBuild extends ConsoleFiles {
  readonly outputs: Metafile["outputs"];
}

/** Returns the path of a source as esbuild names it. */
const pathInRepository = (path: string): string => relative(repository, path).replaceAll("\\", "/");

const scriptEntry = join(folder, "app/app.tsx");
/** Script that runs before the first painting. */
const bootEntry = join(folder, "app/boot.ts");
const styleEntry = join(folder, "app/style.css");

/** Returns the HTML document. Its paths are relative, because a stage or a base path may precede `/console` and `/cli-login`. */
const pageOf = (boot: string, script: string, style: string, preloads: readonly string[]): string =>
  [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    "<title>Assay</title>",
    `<link rel="stylesheet" href="console/assets/${style}">`,
    ...preloads.map((name) => `<link rel="modulepreload" href="console/assets/${name}">`),
    `<script type="module" blocking="render" src="console/assets/${boot}"></script>`,
    `<script type="module" src="console/assets/${script}"></script>`,
    "</head>",
    '<body><div id="app"><noscript>The console needs JavaScript.</noscript>',
    '<p class="starting">The console has not started yet. Reload the page if it does not appear.</p></div></body>',
    "</html>",
    "",
  ].join("\n");

/** esbuild options of the console, the same in both of its builds. */
const options = {
  entryPoints: [scriptEntry, styleEntry],
  // Classic JSX calls `h(type, props, ...children)`: the script is 2 % smaller than with the automatic runtime's `{children: [...]}`.
  tsconfigRaw: { compilerOptions: { strict: true, jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment" } },
  inject: [join(folder, "jsx.ts")],
  // The hashes depend on paths relative to this folder.
  absWorkingDir: repository,
  outdir: folder,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2024",
  legalComments: "none",
  logLevel: "error",
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

/** Number of pages from which on a module is in the file that every page loads; so are the modules of the entry. */
const minSharingPages = 5;

/** Bytes of sources that a module needs, itself included, below which two pages are enough: another file costs a request. */
const maxSmallBytes = 1_500;

/** Returns the paths of modules that the module at a path imports, itself included, without modules imported by `import()`. */
const modulesOf = (inputs: Metafile["inputs"], path: string, modules = new Set<string>()): Set<string> => {
  if (modules.has(path)) return modules;
  modules.add(path);
  for (const { kind, path: imported } of inputs[path]?.imports ?? [])
    if (kind === "import-statement") modulesOf(inputs, imported, modules);
  return modules;
};

/** Returns the paths of modules that the modules at some paths load later, by `import()`. */
const lazyModulesOf = (inputs: Metafile["inputs"], paths: Iterable<string>): ReadonlySet<string> =>
  new Set(
    [...paths]
      .flatMap((path) => inputs[path]?.imports ?? [])
      .flatMap(({ kind, path }) => (kind === "dynamic-import" ? [path] : [])),
  );

/**
 * esbuild plugin that adds to the entry and to every page an import of what many pages share, and to a part of a page that is loaded
 * later an import of what all its pages have loaded. esbuild makes a file for each set of pages and parts that share a module: without
 * this a page loads up to 23 files, more than the 10 concurrent requests that Lambda grants to a new account.
 */
const withSharedModules = (inputs: Metafile["inputs"]): Plugin => {
  const entry = pathInRepository(scriptEntry);
  const ofEntry = modulesOf(inputs, entry);
  const lazyModules = lazyModulesOf(inputs, Object.keys(inputs));
  const [pages, parts] = [...lazyModules].reduce<[string[], string[]]>(
    (sides, path) => {
      sides[path.includes("/pages/") ? 0 : 1].push(path);
      return sides;
    },
    [[], []],
  );
  const modulesOfPages = new Map(pages.map((page) => [page, modulesOf(inputs, page)]));
  const hostsOf = (part: string) =>
    [...modulesOfPages.values()].filter((modules) => lazyModulesOf(inputs, modules).has(part));
  /** Modules that a part's pages have loaded before it. */
  const loadedBefore = (part: string): ReadonlySet<string> => {
    const [first = [], ...others] = hostsOf(part);
    const ofAll = [...first].filter((path) => others.every((modules) => modules.has(path)));
    return new Set(ofAll.filter((path) => path.startsWith("lib/") && !path.includes("/pages/")));
  };
  // A part of several pages, such as a dialog, counts like a page.
  const uses = [...pages, ...parts.filter((part) => hostsOf(part).length > 1)].flatMap((path) =>
    Array.from(modulesOf(inputs, path).difference(loadedBefore(path))),
  );
  const usesOfPaths = Map.groupBy(uses, (path) => path);
  const ofMany = new Set([...usesOfPaths].flatMap(([path, { length }]) => (length >= minSharingPages ? [path] : [])));
  const isSmall = (path: string): boolean =>
    [...modulesOf(inputs, path).difference(ofMany).difference(ofEntry)].reduce(
      (sum, each) => sum + (inputs[each]?.bytes ?? 0),
      0,
    ) < maxSmallBytes;
  const ofSome = [...usesOfPaths].flatMap(([path, { length }]) => (length > 1 && isSmall(path) ? [path] : []));
  const ofEntryToo = [...lazyModules].flatMap((path) => Array.from(modulesOf(inputs, path).intersection(ofEntry)));
  const shared = [...new Set([...ofMany, ...ofSome, ...ofEntryToo])].filter((path) => path.startsWith("lib/"));
  const imports = new Map<string, readonly string[]>([
    ...[entry, ...pages].map((path) => [path, shared] as const),
    ...parts.map((part) => [part, [...new Set([...shared, ...loadedBefore(part)])]] as const),
  ]);
  return {
    name: "shared modules",
    setup: (builder) => {
      // oxlint-disable-next-line require-unicode-regexp -- esbuild parses the filter as a Go regular expression, which has no such flag.
      builder.onLoad({ filter: /lib.console.*\.tsx?$/ }, ({ path }) => {
        const added = imports.get(pathInRepository(path));
        if (added === undefined) return null;
        const statements = added.toSorted().map((each) => `import ${JSON.stringify(join(repository, each))};`);
        return {
          contents: [readFileSync(path, "utf8"), ...statements].join("\n"),
          loader: path.endsWith("x") ? "tsx" : "ts",
        };
      });
    },
  };
};

/** Builds the console: its document, a script for each page, files of what pages share, and one style sheet for all. */
export const buildConsole = async (): Promise<ConsoleBuild> => {
  const { metafile: unshared } = await build({ ...options, plugins: [onlyConsoleOperations] });
  const { outputFiles, metafile } = await build({
    ...options,
    plugins: [onlyConsoleOperations, withSharedModules(unshared.inputs)],
  });
  // In a build of its own it shares no file, so that the first painting waits for it alone.
  const boot = await build({ ...options, inject: [], entryPoints: [bootEntry] });
  const outputs = Object.fromEntries(
    Object.entries({ ...metafile.outputs, ...boot.metafile.outputs }).map(([path, output]) => [basename(path), output]),
  );
  const outputOf = (entry: string): string => {
    const [name] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === pathInRepository(entry)) ?? [];
    if (name === undefined) throw new Error(`The build of the console has no output of ${entry}.`);
    return name;
  };
  const script = outputOf(scriptEntry);
  const preloads = (outputs[script]?.imports ?? []).flatMap(({ kind, path }) =>
    kind === "import-statement" ? basename(path) : [],
  );
  return {
    page: pageOf(outputOf(bootEntry), script, outputOf(styleEntry), preloads),
    assets: Object.fromEntries([...outputFiles, ...boot.outputFiles].map(({ path, text }) => [basename(path), text])),
    outputs,
  };
};
