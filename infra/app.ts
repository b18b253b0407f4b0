import { join } from "node:path";
import * as v from "valibot";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { routes } from "../lib/contract/routes.ts";
import { bundle, bundlesIn, ownHandlers } from "./functions/bundles.ts";
import { runningVariable } from "./deploy/deploy.ts";
import { deploymentFaults, runningStack } from "./settings/running-settings.ts";
import { readSettingsFile, settingsFile } from "./settings/settings-file.ts";
import { readSettings } from "./settings/settings.ts";
import { AssayStack } from "./stack.ts";

const repository = join(import.meta.dirname, "..");
const app = new App();
/** Where the handlers are bundled already, which only the local runtime says. */
const made = process.env["ASSAY_BUNDLES"];
const runsHere = made !== undefined;
const file = runsHere ? {} : readSettingsFile(repository, app.node.tryGetContext("stage") ?? "dev");
const settings = readSettings(app.node, { file, runsHere });
const running = process.env[runningVariable];
const faults =
  running === undefined
    ? []
    : deploymentFaults(v.parse(runningStack, JSON.parse(running)), settings, settingsFile(settings.stage));
if (faults.length > 0) throw new Error(faults.join("\n"));
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
const bundles = made === undefined ? bundle() : bundlesIn(ownHandlers(made));
new AssayStack(app, `assay-${settings.stage}`, { settings, bundles, routes });
app.synth();
