import { CfnOutput, Stack } from "aws-cdk-lib";
import { CfnBasePathMapping, CfnDomainName, EndpointType, type Stage } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import type { Settings } from "../settings/settings.ts";

/** TLS 1.2 or newer, and only connections whose TLS server name matches the host: a private API is then reached by private DNS only. */
export const modernTls = {
  securityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
  endpointAccessMode: "STRICT",
} as const;

interface CustomDomainProps {
  readonly domain: NonNullable<Settings["domain"]>;
  readonly apiId: string;
  readonly stage: Stage;
}

/** The operator's domain in front of the stage. The operator provides its DNS record and its certificate. */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { domain, apiId, stage }: CustomDomainProps) {
    super(scope, id);
    const name = new CfnDomainName(this, "Name", {
      domainName: domain.name,
      regionalCertificateArn: domain.certificateArn,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      ...modernTls,
    });
    new CfnBasePathMapping(this, "Mapping", { domainName: name.ref, restApiId: apiId, stage: stage.stageName });
    new CfnOutput(Stack.of(this), "DomainTarget", {
      description: "Target of the domain's DNS record.",
      value: name.attrRegionalDomainName,
    });
  }
}
