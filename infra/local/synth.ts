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
import { withIssuers } from "./template/issuers.ts";
import { type Assembly, readAssembly } from "./template/template.ts";

/** What the stack is synthesized with for this machine. */
export interface LocalSettings {
  readonly jwksUri: string;
  /** Issuers beside this machine's own. */
  readonly issuers?: readonly IssuerSettings[];
  readonly judgeModel: string;
  readonly embeddingModel: string;
  readonly limitFactor: number;
}

/** Runs the CDK app. @returns the stack as `cdk deploy` would see it. */
export type Synthesize = (directory: string, settings: LocalSettings, builds: BuildCache) => Promise<Assembly>;

/** Everything that the CDK app reads. The second lock is npm's own: it says what is installed, not what should be. */
export const appSources: BuildSources = {
  root: repository,
  folders: ["lib", "functions", "infra"],
  except: ["infra/local"],
  files: ["cdk.json", "package.json", "package-lock.json", "node_modules/.package-lock.json", "tsconfig.json"],
};

/** Another one at every start: put in after synthesis, so that one synthesis serves them all. */
const anyJwksUri = "http://127.0.0.1/.well-known/jwks.json";

/** The settings of `infra/settings.ts` that are different here. */
const context = ({ judgeModel, embeddingModel, limitFactor }: Omit<LocalSettings, "jwksUri" | "issuers">) => ({
  stage: "local",
  judgeModel,
  embeddingModel,
  limitFactor,
  allowedOrigins: loopbackOrigins,
  jwt: { issuer: issuerName, jwksUri: anyJwksUri, audiences: [localAudience] },
});

/** The shell's variables but for those that CDK reads: they would be settings that the key does not know. */
const shell = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CDK_")));

const runApp = async (output: string, bundles: string, settings: ReturnType<typeof context>): Promise<void> => {
  const app = spawn(process.execPath, [join(repository, "infra/app.ts")], {
    cwd: repository,
    env: {
      ...shell(),
      ASSAY_BUNDLES: bundles,
      CDK_OUTDIR: output,
      CDK_CONTEXT_JSON: JSON.stringify(settings),
      // CloudFormation's own rules are for what is deployed, and take longer than all the rest.
      CDK_VALIDATION: "false",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => {
    app.once("exit", resolve);
  });
  const words = await text(app.stderr);
  if ((await code) !== 0) throw new Error(`The stack does not synthesize:\n${words.trim()}`);
};

/**
 * Runs `infra/app.ts` into `cdk.out` below the directory, unless it was run before on the same sources with the same
 * settings.
 *
 * @throws Error with the app's own words when it fails.
 */
export const synthesize: Synthesize = async (directory, { jwksUri, issuers = [], ...chosen }, builds) => {
  const output = join(directory, "cdk.out");
  const settings = context(chosen);
  const assembly: Build = {
    name: "assembly",
    key: () => contentKey(appSources, settings),
    make: async (into) => {
      const bundles = join(directory, handlerBundles.name);
      await builds.provide(handlerBundles, bundles);
      await runApp(into, bundles, settings);
      // The assembly has its own copies.
      rmSync(bundles, { recursive: true, force: true });
    },
  };
  await builds.provide(assembly, output);
  return withIssuers(readAssembly(output), jwksUri, issuers);
};
