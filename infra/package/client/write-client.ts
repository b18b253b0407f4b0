import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build } from "esbuild";
import packageFile from "../../../package.json" with { type: "json" };
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { catalogueOf } from "./catalogue.ts";

const repository = join(import.meta.dirname, "../../..");

/** Programs of the package by the name of their file in it. */
const entryPoints = {
  assay: "infra/package/client/assay.ts",
  otel: "lib/client/otel.ts",
  "cli/main": "lib/command/main.ts",
};

/** Packages of OpenTelemetry that `assay/otel` imports and the user's program brings. */
const peers = [
  "@opentelemetry/api",
  "@opentelemetry/context-async-hooks",
  "@opentelemetry/exporter-trace-otlp-proto",
  "@opentelemetry/sdk-trace",
] as const;

/** Name of the package, and URL of the public repository that provenance names; null for a package that is not published. */
export interface PackageIdentity {
  readonly name: string;
  readonly repositoryUrl: string | null;
}

const manifestOf = ({ name, repositoryUrl }: PackageIdentity) => ({
  name,
  version: packageFile.version,
  description: "Client, tracing and command line of Assay, a trace store and evaluation service for LLM agents",
  license: packageFile.license,
  ...(repositoryUrl === null ? {} : { repository: { type: "git", url: `git+${repositoryUrl}.git` } }),
  type: "module",
  sideEffects: false,
  exports: {
    ".": { types: "./assay.d.ts", default: "./assay.js" },
    "./otel": { types: "./otel.d.ts", default: "./otel.js" },
  },
  bin: { assay: "cli/main.js" },
  engines: { node: ">=22.15" },
  dependencies: {},
  peerDependencies: Object.fromEntries(peers.map((peer) => [peer, `^${packageFile.devDependencies[peer]}`])),
  peerDependenciesMeta: Object.fromEntries(peers.map((peer) => [peer, { optional: true }])),
});

/** Bundles the programs. @throws Error if one imports anything but Node's modules and the peers. */
const bundle = async (directory: string): Promise<void> => {
  const { metafile } = await build({
    entryPoints: Object.entries(entryPoints).map(([out, path]) => ({ in: join(repository, path), out })),
    outdir: directory,
    absWorkingDir: repository,
    bundle: true,
    // Not minified: an error that a program does not catch shows its line.
    format: "esm",
    platform: "node",
    target: "node22",
    define: { packageVersion: JSON.stringify(packageFile.version) },
    external: [...peers],
    legalComments: "none",
    logLevel: "error",
    metafile: true,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  const unexpected = imports.filter((path) => !path.startsWith("node:") && !peers.some((peer) => peer === path));
  if (unexpected.length > 0) throw new Error(`The package imports ${unexpected.join(", ")}, which is no peer.`);
};

/** Compiles the declarations of both entry points and of the files that they import, into one folder. */
const writeDeclarations = (directory: string): void => {
  const compiler = join(repository, "node_modules/typescript/bin/tsc");
  const work = mkdtempSync(join(tmpdir(), "assay-declarations-"));
  try {
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: repository,
      outDir: work,
      typeRoots: [join(repository, "node_modules/@types")],
    };
    const files = [entryPoints.assay, entryPoints.otel].map((path) => join(repository, path));
    const project = { extends: join(repository, "tsconfig.json"), compilerOptions, include: [], files };
    writeFileSync(join(work, "tsconfig.json"), JSON.stringify(project));
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", work], { encoding: "utf8" });
    if (status !== 0) throw new Error(`The declarations of the client do not compile:\n${stdout}`);
    for (const path of globSync("**/*.d.ts", { cwd: work })) {
      const text = readFileSync(join(work, path), "utf8");
      const flat = text.replaceAll(/from "\.{1,2}\/(?:[\w./]+\/)?(\w+)\.ts"/gu, 'from "./$1.js"');
      writeFileSync(join(directory, basename(path)), flat);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

/** Writes the files of the npm package into an empty directory. The same sources give the same bytes. */
export const writeClient = async (directory: string, identity: PackageIdentity): Promise<void> => {
  writeDeclarations(directory);
  await bundle(directory);
  chmodSync(join(directory, "cli/main.js"), 0o755);
  writeFileSync(join(directory, "cli/catalogue.json"), JSON.stringify(catalogueOf(openApiDocument(routes))));
  cpSync(join(repository, "lib/skill/assay"), join(directory, "skill"), { recursive: true });
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifestOf(identity), null, 2)}\n`);
  copyFileSync(join(import.meta.dirname, "README.md"), join(directory, "README.md"));
  copyFileSync(join(repository, "LICENSE"), join(directory, "LICENSE"));
};
