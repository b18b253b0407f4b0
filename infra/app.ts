import { join } from "node:path";
import * as v from "valibot";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { routes } from "../lib/contract/routes.ts";
import { bundleHandlers, serviceHandlers } from "./functions/bundles.ts";
import { buildConsole } from "./functions/console-page.ts";
import { prebuiltBundles, temporaryDirectory } from "./functions/prebuilt-bundles.ts";
import { lakeLayer } from "./lake/layer.ts";
import { runningStackVariable } from "./deploy/deploy.ts";
import { deploymentFaults, runningStack } from "./settings/running-settings.ts";
import { settingsFile } from "./settings/settings-file.ts";
import { readSettings, type Settings } from "./settings/settings.ts";
import { planStage } from "./settings/stage-settings.ts";
import { ServiceStack, stackNameOf } from "./stack.ts";
import { localBuild, readBuild } from "./supply/build.ts";

const repository = join(import.meta.dirname, "..");
const app = new App();
/** Directory of prebuilt handler bundles; only the local runtime sets the variable. */
const bundleDirectory = process.env["ASSAY_BUNDLES"];
const isLocal = bundleDirectory !== undefined;

/** Reads the settings, before anything is bundled. @throws Error with a sentence in each line. */
const settingsOfApp = (): Settings => {
  const context: Readonly<Record<string, unknown>> = app.node.getAllContext();
  if (isLocal) return readSettings(context, { isLocal });
  // The Region of the credentials, or us-east-1 if there is none: `npm run deploy` refuses to begin without one.
  const { AWS_REGION: region, AWS_DEFAULT_REGION: other, CDK_DEFAULT_REGION: ofToolkit } = process.env;
  const { settings } = planStage(repository, context, ofToolkit === "us-east-1" ? (region ?? other) : ofToolkit);
  const running = process.env[runningStackVariable];
  const faults =
    running === undefined
      ? []
      : deploymentFaults(v.parse(runningStack, JSON.parse(running)), settings, settingsFile(settings.stage));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return settings;
};

let settings: Settings;
try {
  settings = settingsOfApp();
} catch (error) {
  // Faults of settings are sentences for the operator; others are faults of the program, and keep their stack trace.
  if (!(error instanceof Error) || error.name !== "Error") throw error;
  console.error(error.message);
  process.exit(1);
}
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
const bundles = prebuiltBundles(
  bundleDirectory ?? bundleHandlers(serviceHandlers(temporaryDirectory()), await buildConsole()),
);
const build = isLocal ? localBuild : readBuild(repository);
new ServiceStack(app, stackNameOf(settings.stage), { settings, bundles, build, routes, lakeLayer: lakeLayer() });
app.synth();
