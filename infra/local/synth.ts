import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Build, BuildCache } from "./build/build-cache.ts";
import { type BuildSources, contentKey } from "./build/content-key.ts";
import { handlerBundles } from "./handler-bundles.ts";
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

/** Sources that the CDK app reads. `node_modules/.package-lock.json` lists the packages that npm installed. */
export const appSources: BuildSources = {
  root: repository,
  folders: ["lib", "functions", "infra"],
  except: ["infra/local"],
  files: ["cdk.json", "package.json", "package-lock.json", "node_modules/.package-lock.json", "tsconfig.json"],
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

/**
 * Synthesizes `infra/app.ts` into `cdk.out` in the directory, or reuses the cached assembly of the same sources and settings.
 *
 * @throws Error with the app's standard error when the app fails.
 */
export const synthesize: Synthesize = async (directory, { jwksUri, issuers = [], ...appSettings }, builds) => {
  const output = join(directory, "cdk.out");
  const settings = context(appSettings);
  const assembly: Build = {
    name: "assembly",
    key: () => contentKey(appSources, settings),
    make: async (outputDirectory) => {
      const bundles = join(directory, handlerBundles.name);
      await builds.provide(handlerBundles, bundles);
      await runApp(outputDirectory, bundles, settings);
      // CDK has copied the bundles into the assembly.
      rmSync(bundles, { recursive: true, force: true });
    },
  };
  await builds.provide(assembly, output);
  return withCommit(withIssuers(readAssembly(output), jwksUri, issuers));
};
