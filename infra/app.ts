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
import { readSettingsFile, settingsFile } from "./settings/settings-file.ts";
import { readSettings } from "./settings/settings.ts";
import { ServiceStack, stackNameOf } from "./stack.ts";
import { localBuild, readBuild } from "./supply/build.ts";

const repository = join(import.meta.dirname, "..");
const app = new App();
/** Directory of prebuilt handler bundles; only the local runtime sets the variable. */
const bundleDirectory = process.env["ASSAY_BUNDLES"];
const isLocal = bundleDirectory !== undefined;
const file = isLocal ? {} : readSettingsFile(repository, app.node.tryGetContext("stage") ?? "dev");
// The CDK's toolkit sets the variable to the Region of the credentials.
const settings = readSettings(app.node.getAllContext(), { file, isLocal, region: process.env["CDK_DEFAULT_REGION"] });
const running = process.env[runningStackVariable];
const faults =
  running === undefined
    ? []
    : deploymentFaults(v.parse(runningStack, JSON.parse(running)), settings, settingsFile(settings.stage));
if (faults.length > 0) throw new Error(faults.join("\n"));
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
const bundles = prebuiltBundles(
  bundleDirectory ?? bundleHandlers(serviceHandlers(temporaryDirectory()), await buildConsole()),
);
const build = isLocal ? localBuild : readBuild(repository);
new ServiceStack(app, stackNameOf(settings.stage), { settings, bundles, build, routes, lakeLayer: lakeLayer() });
app.synth();
