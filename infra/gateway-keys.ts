import { Aws } from "aws-cdk-lib";
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
  /** Id of the usage plan of keys that belong to one client each. */
  readonly planId: string;
  /** Queue for stream records whose processing failed for good. */
  readonly deadLetters: DeadLetters;
}

/**
 * Worker that creates an API Gateway key for each new client and deletes the key with the client. Once an hour, on the sweeper's
 * request, the worker scans the table and repairs the effects of lost records. There is no alarm on its lag: clients use the
 * shared key meanwhile.
 */
export class GatewayKeys extends Construct {
  constructor(scope: Construct, id: string, parts: StackParts, { planId, deadLetters }: GatewayKeysProps) {
    super(scope, id);
    const parameter = new StringParameter(this, "ClientsPlan", {
      description: "Id of the usage plan for the gateway keys of individual clients.",
      parameterName: clientsPlanParameter(parts.settings.stage),
      stringValue: planId,
    });
    const { worker } = new StreamWorker(this, "Sync", parts, {
      handler: "workers/sync-gateway-keys",
      description: "Creates and deletes the gateway keys of clients, and repairs keys after lost stream records",
      impact:
        "A client stays on the shared gateway key, or the gateway key of a deleted client remains, until the hourly reconciliation: within hours.",
      memory: 256,
      // Seconds: a batch of new clients takes 5 at the request rate of the control plane, more while throttled; a reconciliation
      // takes 60.
      timeout: 120,
      grants: {
        access: {
          GetItem: ["client", "organization", "reconciliation"],
          BatchGetItem: ["client", "gatewayKeys", "key", "organization"],
          PutItem: ["client", "reconciliation"],
          UpdateItem: ["client", "gatewayKeys", "key"],
          DeleteItem: ["client", "gatewayKeys"],
        },
      },
      environment: { [variables.usagePlan]: Aws.STACK_ID },
      table: parts.data.table("access"),
      filters: [...clientChangeFilters, ...reconciliationFilters],
      batchSize: 10,
      retryAttempts: 50,
      deadLetters,
    });
    // The reconciliation reads the whole table.
    worker.allow(["dynamodb:Scan"], parts.data.table("access").tableArn);
    worker.allow(["apigateway:POST"], controlPlane("/apikeys"), controlPlane(`/usageplans/${planId}/keys`));
    worker.allow(["apigateway:GET"], controlPlane("/apikeys"), controlPlane(`/usageplans/${planId}/keys`));
    this.tagKeys(worker, { service: "assay", stage: parts.settings.stage, ...parts.settings.tags });
    worker.allow(["apigateway:DELETE"], controlPlane("/apikeys/*"));
    worker.allow(["ssm:GetParameter"], parameter.parameterArn);
    worker.acknowledge({
      id: "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/apikeys/*]",
      reason: "API Gateway assigns the ids of the keys when the worker creates them.",
    });
  }

  /** Lets the worker put the tags of the stack's resources on the gateway keys that it creates. */
  private tagKeys(worker: Worker, tags: Readonly<Record<string, string>>): void {
    worker.function.addEnvironment(variables.gatewayKeyTags, JSON.stringify(tags));
    worker.allow(["apigateway:PUT", "apigateway:POST"], controlPlane("/tags/*"));
    worker.acknowledge({
      id: "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/tags/*]",
      reason: "A key has no id yet when it is created with tags.",
    });
  }
}
