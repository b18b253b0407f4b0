import { CfnOutput, Stack, Tags } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Route } from "../lib/contract/route.ts";
import { withLimits } from "./route-limits.ts";
import { Api } from "./api.ts";
import type { Bundles } from "./bundles.ts";
import { Data } from "./data.ts";
import { Evaluation } from "./evaluation.ts";
import { GatewayKeys } from "./gateway-keys.ts";
import { Invitations } from "./invitations.ts";
import { Monitoring } from "./monitoring.ts";
import { Operations } from "./operations.ts";
import { ScoreStatistics } from "./score-statistics.ts";
import type { Settings } from "./settings.ts";
import { TraceUpkeep } from "./trace-upkeep.ts";

export interface AssayStackProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly routes: readonly Route[];
}

/** The whole service, in one stack: a table of contents. */
export class AssayStack extends Stack {
  constructor(scope: Construct, id: string, { settings, bundles, routes }: AssayStackProps) {
    super(scope, id, {
      description: "Assay: trace store and evaluation service",
      terminationProtection: true,
      analyticsReporting: false,
      // Two fifths of the file would be spaces; CloudFormation takes 1 MB.
      suppressTemplateIndentation: true,
    });
    Tags.of(this).add("service", "assay");
    Tags.of(this).add("stage", settings.stage);

    const data = new Data(this, "Data", settings.restoredTables);
    const ground = { settings, data, bundles };
    const { deadLetters } = new TraceUpkeep(this, "TraceUpkeep", ground);
    new ScoreStatistics(this, "ScoreStatistics", ground, deadLetters);
    const { sweeper } = new Evaluation(this, "Evaluation", ground);
    const monitoring = new Monitoring(this, "Monitoring", ground, deadLetters);
    monitoring.allowSweeping(sweeper);
    const api = new Api(this, "Api", ground, withLimits(routes, settings.limits), monitoring);
    new GatewayKeys(this, "GatewayKeys", ground, { planId: api.clientsPlanId, deadLetters });
    new Invitations(this, "Invitations", ground, deadLetters);
    new Operations(this, "Operations", api, settings.alarmEmail);

    new CfnOutput(this, "AccessTableName", {
      description: "The table that npm run create-key writes to.",
      value: data.table("access").tableName,
    });
    const restored = Object.entries(settings.restoredTables).map(([name, table]) => `${name}: ${table?.tableName}`);
    if (restored.length === 0) return;
    new CfnOutput(this, "RestoredTables", {
      description: "Tables that are used in place of the stack's own.",
      value: restored.join(", "),
    });
  }
}
