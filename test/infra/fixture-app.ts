import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { readSettings } from "../../infra/settings/settings.ts";
import { ServiceStack } from "../../infra/stack.ts";
import { routes } from "../../lib/contract/routes.ts";
import { fixtureBuild, fixtureBundles } from "./synthesize.ts";

/** `infra/app.ts` with handlers that import no code of the service, for a separate process. */
const app = new App();
const settings = readSettings(app.node.getAllContext());
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
export const stack = new ServiceStack(app, `assay-${settings.stage}`, {
  settings,
  bundles: fixtureBundles(),
  build: fixtureBuild,
  routes,
});
app.synth();
