import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";

interface WebAclProps {
  /** Requests that one address may send in a minute. */
  readonly perMinute: number;
  readonly stage: Stage;
}

/** A web ACL in front of the stage: what one address sends beyond its rate is refused before the gateway, and costs no authorizer call. */
export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, { perMinute, stage }: WebAclProps) {
    super(scope, id);
    const seen = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      // A sample would keep what callers send, their keys too.
      sampledRequestsEnabled: false,
    });
    const acl = new CfnWebACL(this, "Acl", {
      description: "What one address may send to the API.",
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: seen("requests"),
      rules: [
        {
          name: "requests-of-an-address",
          priority: 0,
          action: {
            block: { customResponse: { responseCode: 429, responseHeaders: [{ name: "Retry-After", value: "60" }] } },
          },
          statement: { rateBasedStatement: { aggregateKeyType: "IP", evaluationWindowSec: 60, limit: perMinute } },
          visibilityConfig: seen("requests-of-an-address"),
        },
      ],
    });
    new CfnWebACLAssociation(this, "OfStage", { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
  }
}
