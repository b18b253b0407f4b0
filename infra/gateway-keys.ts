import { Aws, Validations } from "aws-cdk-lib";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import { Construct } from "constructs";
import { clientsPlanParameter } from "../lib/gateway-keys/client.ts";
import { clientChangeFilters } from "../lib/stream/client-change.ts";
import { reconciliationFilters } from "../lib/stream/reconciliation.ts";
import { variables } from "../lib/wiring/environment.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";
import type { Worker } from "./functions/worker.ts";

const controlPlane = (path: string): string => `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::${path}`;

export interface GatewayKeysProps {
  /** The usage plan that clients' own keys are put into. */
  readonly planId: string;
  /** Where records go that were given up. */
  readonly deadLetters: DeadLetters;
}

/**
 * Makes a gateway key for each new client and removes it with the client; what lost records have left wrong it finds by going
 * through the table, once an hour, when the sweeper calls. A worker that lags harms nobody: clients run on the shared key
 * meanwhile, so there is no alarm on it.
 */
export class GatewayKeys extends Construct {
  constructor(scope: Construct, id: string, parts: StackParts, { planId, deadLetters }: GatewayKeysProps) {
    super(scope, id);
    const parameter = new StringParameter(this, "ClientsPlan", {
      description: "Id of the usage plan that clients' own gateway keys are put into.",
      parameterName: clientsPlanParameter(parts.settings.stage),
      stringValue: planId,
    });
    const { worker } = new StreamWorker(this, "Sync", parts, {
      handler: "workers/sync-gateway-keys",
      description:
        "Makes and removes the gateway keys of clients, and mends what lost records have left of who may do what",
      impact:
        "A client stays on the shared gateway key, or one that is gone keeps its own, until the reconciliation comes by: within hours.",
      memory: 256,
      // A batch of new clients takes 5 s at the pace of the control plane, and more while it is throttled; a reconciliation a
      // minute.
      timeout: 120,
      // Reading all of it is for what lost records have left wrong.
      grants: { access: ["GetItem", "BatchGetItem", "Scan", "PutItem", "UpdateItem", "DeleteItem"] },
      table: parts.data.table("access"),
      filters: [...clientChangeFilters, ...reconciliationFilters],
      batchSize: 10,
      retryAttempts: 50,
      deadLetters,
    });
    worker.allow(["apigateway:POST"], controlPlane("/apikeys"), controlPlane(`/usageplans/${planId}/keys`));
    worker.allow(["apigateway:GET"], controlPlane("/apikeys"));
    this.tagKeys(worker, parts.settings.tags);
    worker.allow(["apigateway:DELETE"], controlPlane("/apikeys/*"));
    worker.allow(["ssm:GetParameter"], parameter.parameterArn);
    Validations.of(worker.node.findChild("Role")).acknowledge({
      id: "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/apikeys/*]",
      reason: "The ids of the keys are API Gateway's, given when the worker makes them.",
    });
  }

  /** Keys that are made at run time get the operator's tags as well. */
  private tagKeys(worker: Worker, tags: Readonly<Record<string, string>>): void {
    if (Object.keys(tags).length === 0) return;
    worker.function.addEnvironment(variables.gatewayKeyTags, JSON.stringify(tags));
    worker.allow(["apigateway:PUT", "apigateway:POST"], controlPlane("/tags/*"));
    Validations.of(worker.node.findChild("Role")).acknowledge({
      id: "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/tags/*]",
      reason: "A key that is made with tags has no id yet by which they could be named.",
    });
  }
}
