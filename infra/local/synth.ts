import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { issuerName, localAudience } from "./issuer.ts";
import { type Assembly, readAssembly } from "./template/template.ts";

/** What the stack is synthesized with for this machine. */
export interface LocalSettings {
  readonly jwksUri: string;
  readonly judgeModel: string;
  readonly embeddingModel: string;
  readonly limitFactor: number;
}

/** Runs the CDK app. @returns the stack as `cdk deploy` would see it. */
export type Synthesize = (directory: string, settings: LocalSettings) => Promise<Assembly>;

const repository = resolve(import.meta.dirname, "../..");

/** The settings of `infra/settings.ts` that are different here. */
const context = ({ jwksUri, judgeModel, embeddingModel, limitFactor }: LocalSettings) => ({
  stage: "local",
  judgeModel,
  embeddingModel,
  limitFactor,
  jwt: { issuer: issuerName, jwksUri, audiences: [localAudience] },
});

/**
 * Runs `infra/app.ts` into `cdk.out` below the directory.
 *
 * @throws Error with the app's own words when it fails.
 */
export const synthesize: Synthesize = async (directory, settings) => {
  const output = join(directory, "cdk.out");
  rmSync(output, { recursive: true, force: true });
  const app = spawn(process.execPath, [join(repository, "infra/app.ts")], {
    cwd: repository,
    env: { ...process.env, CDK_OUTDIR: output, CDK_CONTEXT_JSON: JSON.stringify(context(settings)) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => {
    app.once("exit", resolve);
  });
  const words = await text(app.stderr);
  if ((await code) !== 0) throw new Error(`The stack does not synthesize:\n${words.trim()}`);
  return readAssembly(output);
};
