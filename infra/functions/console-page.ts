import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { operations } from "../../lib/client/operations.ts";

const folder = resolve(import.meta.dirname, "../../lib/console");

const source = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Returns the console's content security policy: its own script and style by hash, and requests to its own origin. */
const policyOf = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src ${source(script)}`,
    `style-src ${source(style)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");

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

/** Builds the console as one HTML page with inline script and style, which loads no other files. */
export const consolePage = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "app/app.tsx"), join(folder, "style.css")],
    // Classic JSX calls `h(type, props, ...children)`: the script is 2 % smaller than with the automatic runtime's `{children: [...]}`.
    tsconfigRaw: { compilerOptions: { strict: true, jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment" } },
    inject: [join(folder, "jsx.ts")],
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2024",
    legalComments: "none",
    logLevel: "error",
    write: false,
    plugins: [onlyConsoleOperations],
  });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? "";
  const [script, style] = [textOf(".js"), textOf(".css")];
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policyOf(script, style)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    "<title>Assay</title>",
    `<style>${style}</style>`,
    "</head>",
    '<body><div id="app"><noscript>The console needs JavaScript.</noscript></div>',
    `<script>${script}</script></body>`,
    "</html>",
    "",
  ].join("\n");
};
