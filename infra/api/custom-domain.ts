import { CfnOutput, Stack } from "aws-cdk-lib";
import { CfnBasePathMapping, CfnDomainName, EndpointType, type Stage } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import type { Settings } from "../settings/settings.ts";

/** TLS 1.2 or newer, and only what was meant for this name. */
export const modernTls = {
  securityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
  endpointAccessMode: "STRICT",
} as const;

interface CustomDomainProps {
  readonly domain: NonNullable<Settings["domain"]>;
  readonly apiId: string;
  readonly stage: Stage;
}

/** A domain of the operator's own in front of the stage. Its DNS record, and the certificate, are the operator's. */
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
      description: "What the domain's DNS record is to name.",
      value: name.attrRegionalDomainName,
    });
  }
}
