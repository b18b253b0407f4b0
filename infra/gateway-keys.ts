import { Aws } from "aws-cdk-lib";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import { Construct } from "constructs";
import { clientsPlanParameter } from "../lib/gateway-keys/client.ts";
import { scannedAttributes } from "../lib/store/access/scan.ts";
import { variables } from "../lib/wiring/environment.ts";
import type { StackParts } from "./functions/service-function.ts";
import type { Worker } from "./functions/worker.ts";

const controlPlane = (path: string): string => `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::${path}`;

export interface GatewayKeysProps {
  /** Id of the usage plan of keys that belong to one client each. */
  readonly planId: string;
  /** The worker of the access table's stream. */
  readonly worker: Worker;
}

/**
 * What a worker needs to create an API Gateway key for each new client and delete the key with the client: the id of the usage plan, and
 * permissions. Once an hour, on the sweeper's request, the worker scans the table and repairs what was not done.
 */
export class GatewayKeys extends Construct {
  constructor(scope: Construct, id: string, parts: StackParts, { planId, worker }: GatewayKeysProps) {
    super(scope, id);
    const parameter = new StringParameter(this, "ClientsPlan", {
      description: "Id of the usage plan for the gateway keys of individual clients.",
      parameterName: clientsPlanParameter(parts.settings.stage),
      stringValue: planId,
    });
    worker.function.addEnvironment(variables.usagePlan, Aws.STACK_ID);
    // The reconciliation reads the whole table, but only the attributes that it checks.
    worker.allowWhen(
      {
        StringEquals: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
        "ForAllValues:StringEquals": { "dynamodb:Attributes": scannedAttributes },
        // The condition above also holds for a request that names no attribute.
        Null: { "dynamodb:Attributes": "false" },
      },
      ["dynamodb:Scan"],
      parts.data.table("access").tableArn,
    );
    worker.allow(["apigateway:POST"], controlPlane("/apikeys"), controlPlane(`/usageplans/${planId}/keys`));
    worker.allow(["apigateway:GET"], controlPlane("/apikeys"), controlPlane(`/usageplans/${planId}/keys`));
    this.tagKeys(worker, { service: "assay", stage: parts.settings.stage, ...parts.settings.tags });
    worker.allowWhen(
      { StringEquals: { "aws:ResourceTag/service": "assay", "aws:ResourceTag/stage": parts.settings.stage } },
      ["apigateway:DELETE"],
      controlPlane("/apikeys/*"),
    );
    worker.allow(["ssm:GetParameter"], parameter.parameterArn);
    worker.acknowledge({
      id: "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/apikeys/*]",
      reason: "API Gateway assigns the ids of the keys when the worker creates them; the condition names their tags.",
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
