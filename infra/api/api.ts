import { Aws, CfnOutput, Size, Stack, Validations } from "aws-cdk-lib";
import { ApiDefinition, EndpointType, CfnRestApi, SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { sharedTexts } from "./shared-texts.ts";
import type { Route } from "../../lib/contract/route.ts";
import { leastCompressed } from "../../lib/http/documents/compression.ts";
import { variables } from "../../lib/wiring/environment.ts";
import packageFile from "../../package.json" with { type: "json" };
import { apiDefinition } from "./api-definition.ts";
import { GatewayLogs } from "./gateway-logs.ts";
import { invokeRole } from "./invoke-role.ts";
import type { Monitors } from "../monitors.ts";
import { RouteFunctions } from "./route-functions.ts";
import { callersPolicy } from "./callers-policy.ts";
import { modernTls, CustomDomain } from "./custom-domain.ts";
import type { Settings } from "../settings/settings.ts";
import type { StackParts } from "../functions/service-function.ts";
import { sharedUsageKey, UsagePlans } from "./usage-plans.ts";
import { Worker } from "../functions/worker.ts";
import { WebAcl } from "./web-acl.ts";

/** What a stage takes at once, as the account does it by default. */
const mostAtOnce = 5_000;

/** Guard on each route, whoever calls: a flood is refused before it costs an authorizer call. */
const stageThrottle = (perSecond: number) => ({
  throttlingRateLimit: perSecond,
  throttlingBurstLimit: Math.min(2 * perSecond, mostAtOnce),
});

/** The REST API: a function for each route, the authorizer in front of them, the usage plans. */
export class Api extends Construct {
  readonly rest: SpecRestApi;
  readonly authorizer: Worker;
  readonly routes: RouteFunctions;
  readonly clientsPlanId: string;

  constructor(scope: Construct, id: string, parts: StackParts, routes: readonly Route[], monitors: Monitors) {
    super(scope, id);
    const { settings } = parts;
    const { domain } = settings;
    const name = `assay-${settings.stage}`;
    this.routes = new RouteFunctions(this, "Routes", parts, routes, { monitors, maker: this.projectMaker(parts) });
    const { gatewayLogRole, accessLogs } = settings;
    const logs = gatewayLogRole !== false || accessLogs ? new GatewayLogs(this, "Logs", settings) : undefined;
    this.authorizer = this.authorizerFunction(parts);
    this.rest = new SpecRestApi(this, "Rest", {
      restApiName: name,
      apiDefinition: ApiDefinition.fromInline(
        apiDefinition({
          title: name,
          version: packageFile.version,
          routes,
          requestsPerSecond: settings.requestsPerSecond,
          origins: settings.allowedOrigins,
          shared: sharedTexts(this),
          ...(domain !== undefined && { address: `https://${domain.name}` }),
          invocation: (route) => this.routes.invocation(route),
          authorizer: {
            functionArn: this.authorizer.function.functionArn,
            roleArn: invokeRole(this, "InvokeAuthorizer", [this.authorizer.function]).roleArn,
          },
        }),
      ),
      endpointTypes: [settings.endpointType === "private" ? EndpointType.PRIVATE : EndpointType.REGIONAL],
      ...callersPolicy(settings),
      ...(!settings.defaultAddress && { disableExecuteApiEndpoint: true }),
      cloudWatchRole: false,
      minCompressionSize: Size.bytes(leastCompressed),
      deployOptions: { stageName: settings.stage, ...stageThrottle(settings.requestsPerSecond), ...logs?.options },
    });
    this.requireModernTls(settings);
    if (logs?.account !== undefined) this.rest.deploymentStage.node.addDependency(logs.account);
    const stage = this.rest.deploymentStage;
    const plans = new UsagePlans(this, "Usage", {
      apiId: this.rest.restApiId,
      stage,
      routes,
      limitFactor: settings.limitFactor,
    });
    this.clientsPlanId = plans.clientsPlanId;
    const { requestsPerAddress } = settings;
    if (requestsPerAddress !== undefined) new WebAcl(this, "WebAcl", { perMinute: requestsPerAddress, stage });
    this.acknowledge(logs !== undefined);
    // CDK's own output of the same URL, under a name nobody could guess.
    this.rest.node.tryRemoveChild("Endpoint");
    if (domain !== undefined) new CustomDomain(this, "Domain", { domain, apiId: this.rest.restApiId, stage });
    new CfnOutput(Stack.of(this), "ApiUrl", {
      description: "Where clients call the service.",
      value:
        domain === undefined
          ? `https://${this.rest.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${stage.stageName}`
          : `https://${domain.name}`,
    });
  }

  private authorizerFunction(parts: StackParts): Worker {
    const { jwt, maxOwnedOrganizations } = parts.settings;
    // Without a rule it is nobody.
    const creators = maxOwnedOrganizations === 0 ? {} : parts.settings.organizationCreators;
    const authorizer = new Worker(this, "Authorizer", parts, {
      handler: "workers/authorize",
      description: "Says who the caller is, from an API key or a bearer token, and signs users in",
      impact:
        "Callers with good credentials are turned away with a 503: the table of who may do what, or the issuer of their tokens, does not answer. Read authorization_failed in the authorizer's log.",
      memory: 512,
      timeout: 10,
      // Signing in makes a user with an organization and a project.
      grants: { access: ["GetItem", "PutItem", "UpdateItem"] },
      environment: {
        [variables.sharedUsageKey]: sharedUsageKey(this),
        ...(jwt !== undefined && { [variables.jwt]: jwt }),
        ...(jwt !== undefined && creators !== undefined && { [variables.organizationCreators]: creators }),
      },
    });
    const { authorizerConcurrency } = parts.settings;
    const resource = authorizer.function.node.defaultChild;
    if (authorizerConcurrency !== undefined && resource instanceof CfnFunction)
      resource.reservedConcurrentExecutions = authorizerConcurrency;
    return authorizer;
  }

  /** The one function that writes on behalf of routes that do not: projects of names that keys use first. */
  private projectMaker(parts: StackParts): Worker {
    return new Worker(this, "MakeProject", parts, {
      handler: "workers/make-project",
      description: "Makes the project that an API key names first",
      impact: "Calls that name a project for the first time are answered 500 or 503. Read the function's log.",
      memory: 512,
      timeout: 12,
      grants: { access: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"] },
      environment: { [variables.maxProjects]: String(parts.settings.maxProjectsPerOrganization) },
    });
  }

  /** TLS 1.2 or newer. Without a policy a regional endpoint still takes TLS 1.0; plain HTTP is never answered. */
  private requireModernTls({ vpcEndpointIds }: Settings): void {
    const resource = this.rest.node.defaultChild;
    if (!(resource instanceof CfnRestApi)) throw new Error("The REST API has no resource of its own.");
    resource.securityPolicy = modernTls.securityPolicy;
    resource.endpointAccessMode = modernTls.endpointAccessMode;
    if (vpcEndpointIds !== undefined)
      resource.endpointConfiguration = { types: [EndpointType.PRIVATE], vpcEndpointIds: [...vpcEndpointIds] };
  }

  private acknowledge(logged: boolean): void {
    Validations.of(this.rest).acknowledge({
      id: "AwsSolutions-APIG2",
      reason: "The handlers validate path, query and body against the contract and answer 422 with every fault.",
    });
    const stage = Validations.of(this.rest.deploymentStage);
    stage.acknowledge(
      {
        id: "AwsSolutions-APIG3",
        reason: "A web ACL costs money while idle; an operator can attach one to the stage.",
      },
      { id: "AwsSolutions-APIG6", reason: "Execution logs hold what clients send. Every function logs its requests." },
    );
    if (logged) return;
    stage.acknowledge({
      id: "AwsSolutions-APIG1",
      reason: "Access logs need an account-wide role, which is only made when asked for (gatewayLogRole).",
    });
  }
}
