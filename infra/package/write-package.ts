import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import packageFile from "../../package.json" with { type: "json" };
import { pageFiles } from "../../lib/contract/openapi/page/page-files.ts";
import { readBuild } from "../supply/build.ts";
import { type ShippedPackage, shippedPackages } from "../supply/shipped-packages.ts";
import { packageDeclarations } from "./declarations.ts";

const repository = join(import.meta.dirname, "../..");

const { version, license, devDependencies } = packageFile;

/** First Node that loads ES modules by `require`, for apps in CommonJS. */
const leastNode = "22.12";

/**
 * The package's entry, in CommonJS, which every Node loads: an old one gets a sentence, in place of the whole stack module with a
 * syntax error at its end.
 */
const entry = `"use strict";
const [major, minor] = process.versions.node.split(".").map(Number);
const [leastMajor, leastMinor] = "${leastNode}".split(".").map(Number);
if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  console.error(\`assay-cdk needs Node ${leastNode} or newer, not \${process.version}: install one, for example from https://nodejs.org.\`);
  process.exit(1);
}
exports.AssayStack = require("./stack.js").AssayStack;
`;

/** The package's own `package.json`. */
const manifest = {
  name: "assay-cdk",
  version,
  description: "AWS CDK stack of Assay, a trace store and evaluation service for LLM agents",
  license,
  type: "module",
  main: "./index.cjs",
  types: "./index.d.ts",
  exports: { ".": { types: "./index.d.ts", default: "./index.cjs" } },
  engines: { node: `>=${leastNode}` },
  peerDependencies: {
    "aws-cdk-lib": `^${devDependencies["aws-cdk-lib"]}`,
    constructs: `^${devDependencies.constructs}`,
  },
};

/** esbuild plugin that leaves out the AWS SDK, which modules of the functions import and the stack never calls. */
const withoutSdk: Plugin = {
  name: "without SDK",
  setup: (builder) => {
    // oxlint-disable-next-line require-unicode-regexp -- esbuild parses the filter as a Go regular expression, which has no such flag.
    builder.onResolve({ filter: /^@(?:aws-sdk|smithy)\// }, ({ path }) => ({
      path,
      external: true,
      sideEffects: false,
    }));
  },
};

/** Bundles the stack as one module. @throws Error if it imports a package other than the peers. */
const bundleStack = async (outfile: string): Promise<void> => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, "assay-stack.ts")],
    outfile,
    absWorkingDir: repository,
    bundle: true,
    // Without the comments, which contain paths of this machine; names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    format: "esm",
    platform: "node",
    target: "node22",
    mainFields: ["module", "main"],
    conditions: ["module"],
    define: { packageBuild: JSON.stringify(readBuild(repository)), PAGE_FILES: JSON.stringify(pageFiles) },
    external: Object.keys(manifest.peerDependencies),
    plugins: [withoutSdk],
    legalComments: "none",
    logLevel: "error",
    metafile: true,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  const unexpected = imports.filter((path) => !/^(?:node:|(?:aws-cdk-lib|constructs)(?:\/|$))/u.test(path));
  if (unexpected.length > 0) throw new Error(`The stack imports ${unexpected.join(", ")}, which is no peer.`);
};

const licenceFile = /^(?:licen[cs]e|notice)(?:\.(?:md|txt))?$/iu;

/** Returns the licence files of a package in one text; a package without one declares a licence whose text is elsewhere. */
const licenceText = ({ installPath, license }: ShippedPackage): string => {
  const directory = join(repository, installPath);
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => licenceFile.test(name)) : [];
  const texts = names.toSorted().map((name) => readFileSync(join(directory, name), "utf8").trim());
  return texts.length === 0 ? `Licence: ${license ?? "not declared"}` : texts.join("\n\n");
};

/** Returns the licences of the packages that the bundles contain, each text once. */
const notices = (): string => {
  const packagesByText = Map.groupBy(shippedPackages(repository), licenceText);
  return Array.from(packagesByText, ([text, packages]) =>
    [...packages.map(({ name, version: packageVersion }) => `${name} ${packageVersion}`), "", text].join("\n"),
  ).join(`\n\n${"-".repeat(80)}\n\n`);
};

/**
 * Writes the files of the package `assay-cdk` into an empty directory. The same sources give the same bytes.
 *
 * @param provideHandlers builds the handlers' bundles into a directory that does not exist yet.
 */
export const writePackage = async (
  directory: string,
  provideHandlers: (directory: string) => Promise<void>,
): Promise<void> => {
  await Promise.all([provideHandlers(join(directory, "handlers")), bundleStack(join(directory, "stack.js"))]);
  writeFileSync(join(directory, "index.cjs"), entry);
  writeFileSync(join(directory, "index.d.ts"), packageDeclarations());
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(directory, "THIRD-PARTY.txt"), `${notices()}\n`);
  copyFileSync(join(import.meta.dirname, "README.md"), join(directory, "README.md"));
  copyFileSync(join(repository, "LICENSE"), join(directory, "LICENSE"));
};
