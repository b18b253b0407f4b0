import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";

interface WebAclProps {
  /** Maximum requests a minute of one IP address. */
  readonly perMinute: number;
  readonly stage: Stage;
}

/** AWS WAF web ACL of the stage: refuses requests above an address's rate with 429, before the gateway and the authorizer. */
export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, { perMinute, stage }: WebAclProps) {
    super(scope, id);
    const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      // Samples would store requests, including API keys.
      sampledRequestsEnabled: false,
    });
    const acl = new CfnWebACL(this, "Acl", {
      description: "Rate limit of each IP address.",
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visibility("requests"),
      rules: [
        {
          name: "requests-of-an-address",
          priority: 0,
          action: {
            block: { customResponse: { responseCode: 429, responseHeaders: [{ name: "Retry-After", value: "60" }] } },
          },
          statement: { rateBasedStatement: { aggregateKeyType: "IP", evaluationWindowSec: 60, limit: perMinute } },
          visibilityConfig: visibility("requests-of-an-address"),
        },
      ],
    });
    new CfnWebACLAssociation(this, "OfStage", { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
  }
}
