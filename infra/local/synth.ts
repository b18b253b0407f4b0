import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { url as debuggerUrl } from "node:inspector";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bundleMetafile } from "./build/bundle-metafile.ts";
import type { Build, BuildCache } from "./build/build-cache.ts";
import { type BuildSources, contentKey, sourceFiles } from "./build/content-key.ts";
import { debugHandlers, handlerBundles, sharedHandlers } from "./handler-bundles.ts";
import { issuerName, localAudience } from "./issuer.ts";
import { loopbackOrigins } from "../../lib/contract/cross-origin.ts";
import { repository } from "./repository.ts";
import type { IssuerSettings } from "../settings/sign-in-settings.ts";
import { readBuild } from "../supply/build.ts";
import { withIssuers } from "./template/issuers.ts";
import { type Assembly, readAssembly } from "./template/template.ts";
import { withVariables } from "./template/variables.ts";
import { variables } from "../../lib/wiring/environment.ts";

/** Settings of the stack that are specific to the local runtime. */
export interface LocalSettings {
  readonly jwksUri: string;
  /** Token issuers in addition to the local issuer. */
  readonly issuers?: readonly IssuerSettings[];
  readonly judgeModel: string;
  readonly embeddingModel: string;
  readonly limitFactor: number;
  /** Further settings by name. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** Synthesizes the stack. @returns the cloud assembly that `cdk deploy` would deploy, with the local issuer's address. */
export type Synthesize = (directory: string, settings: LocalSettings, builds: BuildCache) => Promise<Assembly>;

/** Sources among which are those of the CDK app. `node_modules/.package-lock.json` lists the packages that npm installed. */
const appSources: BuildSources = {
  root: repository,
  folders: ["lib", "infra"],
  except: ["infra/local"],
  files: ["cdk.json", "package.json", "package-lock.json", "node_modules/.package-lock.json", "tsconfig.json"],
};

const appInputsFile = "inputs.json";

/** The list of the files that the CDK app imports, directly or indirectly. */
const appInputs: Build = {
  name: "app-inputs",
  key: () => contentKey(appSources),
  make: async (directory) => {
    const { stop } = await import("esbuild");
    const { inputs } = await bundleMetafile(["infra/app.ts"]);
    await stop();
    writeFileSync(join(directory, appInputsFile), JSON.stringify(Object.keys(inputs)));
  },
};

/** Placeholder for the local issuer's key set URL. The real URL changes with every start and replaces it after the synthesis. */
const placeholderJwksUri = "http://127.0.0.1/.well-known/jwks.json";

/** CDK context: the settings of `infra/settings.ts` that have other values in the local runtime. */
const context = ({
  judgeModel,
  embeddingModel,
  limitFactor,
  settings = {},
}: Omit<LocalSettings, "jwksUri" | "issuers">) => ({
  ...settings,
  stage: "local",
  judgeModel,
  embeddingModel,
  limitFactor,
  allowedOrigins: loopbackOrigins,
  jwt: { issuer: issuerName, jwksUri: placeholderJwksUri, audiences: [localAudience] },
});

/** Environment variables without those that CDK reads: the cache key does not cover them. */
const shellWithoutCdkVariables = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CDK_")));

const runApp = async (output: string, bundles: string, settings: ReturnType<typeof context>): Promise<void> => {
  const app = spawn(process.execPath, [join(repository, "infra/app.ts")], {
    cwd: repository,
    env: {
      ...shellWithoutCdkVariables(),
      ASSAY_BUNDLES: bundles,
      CDK_OUTDIR: output,
      CDK_CONTEXT_JSON: JSON.stringify(settings),
      // Validation against the CloudFormation schema matters for deployments only, and takes longer than the synthesis.
      CDK_VALIDATION: "false",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => {
    app.once("exit", resolve);
  });
  const stderrText = await text(app.stderr);
  if ((await code) !== 0) throw new Error(`The stack does not synthesize:\n${stderrText.trim()}`);
};

/** Sets the commit of the checkout, which the cached assembly does not depend on. */
const withCommit = (assembly: Assembly): Assembly => {
  const { commit } = readBuild(repository);
  return withVariables(assembly, (current) => (variables.commit in current ? { [variables.commit]: commit } : {}));
};

const handlersDirectory = "handlers";

const entryPoint = (handler: string): string =>
  `export const { handler } = await import(${JSON.stringify(handler)} + new URL(import.meta.url).search);\n`;

/** Paths of the handlers below `functions/`, without extension. */
const handlerPaths = (): readonly string[] =>
  sourceFiles({ root: join(repository, "functions"), folders: ["api", "workers"], files: [] }).map((path) =>
    path.replace(/\.ts$/u, ""),
  );

/**
 * Writes a bundle for each handler that loads the handler from the directory beside the assembly. The query of the bundle's URL, with
 * which each sandbox of a thread loads an instance of its own, is that of the handler's.
 */
const writeEntryPoints = (directory: string, handlers: readonly string[]): void => {
  for (const handler of handlers) {
    mkdirSync(join(directory, handler), { recursive: true });
    const built = `../../${handlersDirectory}/${handler}/index.mjs`;
    writeFileSync(join(directory, handler, "index.mjs"), entryPoint(built));
  }
};

/** The cloud assembly. It does not contain the code of the handlers, so that a change of one leaves the other as it is. */
const assemblyBuild = (inputs: readonly string[], settings: ReturnType<typeof context>): Build => {
  const handlers = handlerPaths();
  return {
    name: "assembly",
    key: () =>
      contentKey({ ...appSources, folders: [], files: [...appSources.files, ...inputs] }, { ...settings, handlers }),
    make: async (directory) => {
      const entryPoints = mkdtempSync(join(tmpdir(), "assay-entry-points-"));
      try {
        writeEntryPoints(entryPoints, handlers);
        await runApp(directory, entryPoints, settings);
      } finally {
        rmSync(entryPoints, { recursive: true });
      }
    },
  };
};

/**
 * Returns a function that synthesizes `infra/app.ts` into `cdk.out` in the directory and builds the handlers beside it, or reuses
 * the cached results of the same sources and settings.
 *
 * @throws Error with the app's standard error when the app fails.
 */
const synthesizeWith =
  (handlers: Build): Synthesize =>
  async (directory, { jwksUri, issuers = [], ...appSettings }, builds) => {
    const inputs = join(directory, appInputs.name);
    await builds.provide(appInputs, inputs);
    const assembly = assemblyBuild(
      JSON.parse(readFileSync(join(inputs, appInputsFile), "utf8")) as string[],
      context(appSettings),
    );
    const output = join(directory, "cdk.out");
    await Promise.all([builds.provide(assembly, output), builds.provide(handlers, join(directory, handlersDirectory))]);
    return withCommit(withIssuers(readAssembly(output), jwksUri, issuers));
  };

/** Synthesizes the stack for `npm start`: building the handlers takes a second. A process with an open debugger port gets source maps. */
export const synthesizeForDevelopment = synthesizeWith(debuggerUrl() === undefined ? sharedHandlers : debugHandlers);

/** Synthesizes the stack for tests of sandboxes and for figures, with the handlers bundled as they are deployed. */
export const synthesize = synthesizeWith(handlerBundles);
