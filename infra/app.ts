import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { routes } from "../lib/contract/routes.ts";
import { bundle, bundlesIn, ownHandlers } from "./functions/bundles.ts";
import { readSettings } from "./settings/settings.ts";
import { AssayStack } from "./stack.ts";

const app = new App();
const settings = readSettings(app.node);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
/** Where the handlers are bundled already, if they are. */
const made = process.env["ASSAY_BUNDLES"];
const bundles = made === undefined ? bundle() : bundlesIn(ownHandlers(made));
new AssayStack(app, `assay-${settings.stage}`, { settings, bundles, routes });
app.synth();
