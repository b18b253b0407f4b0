import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { routes } from "../lib/contract/routes.ts";
import { bundle } from "./functions/bundles.ts";
import { readSettings } from "./settings/settings.ts";
import { AssayStack } from "./stack.ts";

const app = new App();
const settings = readSettings(app.node);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
new AssayStack(app, `assay-${settings.stage}`, { settings, bundles: bundle(), routes });
app.synth();
