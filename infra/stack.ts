import { CfnOutput, Stack, Tags } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Route } from "../lib/contract/route.ts";
import { tableNames } from "../lib/dynamo/table.ts";
import { withLimits } from "./api/route-limits.ts";
import { Api } from "./api/api.ts";
import type { Bundles } from "./functions/bundles.ts";
import { Data } from "./data.ts";
import { Evaluation } from "./evaluation.ts";
import { GatewayKeys } from "./gateway-keys.ts";
import { Invitations } from "./invitations.ts";
import { Monitors } from "./monitors.ts";
import { Operations } from "./operations.ts";
import { applyRoleRules } from "./role-rules.ts";
import { ScoreStatistics } from "./score-statistics.ts";
import { settingsMetadata } from "./settings/running-settings.ts";
import type { Settings } from "./settings/settings.ts";
import { tableOutput } from "./stack-outputs.ts";
import { TraceMaintenance } from "./trace-maintenance.ts";

export interface AssayStackProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly routes: readonly Route[];
}

/** The CloudFormation stack of the whole service: a construct for each part. */
export class AssayStack extends Stack {
  constructor(scope: Construct, id: string, { settings, bundles, routes }: AssayStackProps) {
    super(scope, id, {
      description: "Assay: trace store and evaluation service",
      terminationProtection: true,
      analyticsReporting: false,
      // Indentation would be two fifths of the template; CloudFormation accepts 1 MB.
      suppressTemplateIndentation: true,
    });
    Tags.of(this).add("service", "assay");
    Tags.of(this).add("stage", settings.stage);
    for (const [key, value] of Object.entries(settings.tags)) Tags.of(this).add(key, value);
    applyRoleRules(this, settings);

    this.templateOptions.metadata = { [settingsMetadata]: JSON.stringify(settings.explicitSettings) };

    const data = new Data(this, "Data", settings);
    const parts = { settings, data, bundles };
    const traces = new TraceMaintenance(this, "TraceUpkeep", parts);
    const { deadLetters } = traces;
    new ScoreStatistics(this, "ScoreStatistics", parts, deadLetters);
    const { sweeper } = new Evaluation(this, "Evaluation", parts);
    const monitors = new Monitors(this, "Monitoring", parts, deadLetters);
    monitors.allowSweeping(sweeper);
    const api = new Api(this, "Api", parts, withLimits(routes, settings), monitors);
    traces.deployBefore(api.routes.functionOf("getSession"));
    new GatewayKeys(this, "GatewayKeys", parts, { planId: api.clientsPlanId, deadLetters });
    new Invitations(this, "Invitations", parts, deadLetters);
    new Operations(this, "Operations", parts, api, monitors);

    for (const name of tableNames)
      new CfnOutput(this, tableOutput(name), {
        ...(name === "access" && {
          description: "Table of organizations, users and API keys; npm run create-key writes to it.",
        }),
        value: data.table(name).tableName,
      });
    const restored = Object.entries(settings.restoredTables).map(([name, table]) => `${name}: ${table?.tableName}`);
    if (restored.length === 0) return;
    new CfnOutput(this, "RestoredTables", {
      description: "Restored tables in use instead of the tables that the stack creates.",
      value: restored.join(", "),
    });
  }
}
