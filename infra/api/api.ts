import { Aws, CfnOutput, Size, Stack, Validations } from "aws-cdk-lib";
import { ApiDefinition, EndpointType, CfnRestApi, SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import { textMapping } from "./text-mapping.ts";
import type { Route } from "../../lib/contract/route.ts";
import { minCompressedBytes } from "../../lib/http/documents/compression.ts";
import { variables } from "../../lib/wiring/environment.ts";
import packageFile from "../../package.json" with { type: "json" };
import { withinAccount } from "./account-throttle.ts";
import { apiDefinition } from "./api-definition.ts";
import { GatewayLogs } from "./gateway-logs.ts";
import { logicalId } from "../path-in-stack.ts";
import { invokeRole } from "./invoke-role.ts";
import { RouteFunctions, type RouteHelpers } from "./route-functions.ts";
import { callersPolicy } from "./callers-policy.ts";
import { modernTls, CustomDomain } from "./custom-domain.ts";
import type { Settings } from "../settings/settings.ts";
import type { StackParts } from "../functions/service-function.ts";
import { sharedUsageKey, UsagePlans } from "./usage-plans.ts";
import { Worker } from "../functions/worker.ts";
import { WebAcl } from "./web-acl.ts";

/** Returns the throttle of each route over all clients, which refuses a flood before the authorizer is called. */
const stageThrottle = (scope: Construct, perSecond: number) => {
  const { rate, burst } = withinAccount(scope, { rate: perSecond, burst: 2 * perSecond });
  return { throttlingRateLimit: rate, throttlingBurstLimit: burst };
};

/** The REST API: a function for each route, the authorizer, and the usage plans. */
export class Api extends Construct {
  readonly rest: SpecRestApi;
  readonly authorizer: Worker;
  readonly routes: RouteFunctions;
  readonly clientsPlanId: string;
  /** Base URL for clients. */
  readonly url: string;

  constructor(
    scope: Construct,
    id: string,
    parts: StackParts,
    routes: readonly Route[],
    helpers: Omit<RouteHelpers, "projectMaker">,
  ) {
    super(scope, id);
    const { settings } = parts;
    const { domain } = settings;
    const name = `assay-${settings.stage}`;
    this.routes = new RouteFunctions(this, "Routes", parts, routes, {
      ...helpers,
      projectMaker: this.projectMaker(parts),
    });
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
          shareText: textMapping(this),
          ...(domain !== undefined && { address: `https://${domain.name}` }),
          invocation: (route) => this.routes.invocation(route),
          authorizer: {
            functionId: logicalId(this.authorizer.function),
            roleArn: invokeRole(this, "InvokeAuthorizer", [this.authorizer.function]).roleArn,
          },
        }),
      ),
      endpointTypes: [settings.endpointType === "private" ? EndpointType.PRIVATE : EndpointType.REGIONAL],
      ...callersPolicy(settings),
      ...(!settings.defaultAddress && { disableExecuteApiEndpoint: true }),
      cloudWatchRole: false,
      minCompressionSize: Size.bytes(minCompressedBytes),
      deployOptions: {
        stageName: settings.stage,
        ...stageThrottle(this, settings.requestsPerSecond),
        ...logs?.options,
      },
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
    // CDK adds an output of the same URL under a generated name.
    this.rest.node.tryRemoveChild("Endpoint");
    if (domain !== undefined) new CustomDomain(this, "Domain", { domain, apiId: this.rest.restApiId, stage });
    this.url =
      domain === undefined
        ? `https://${this.rest.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${stage.stageName}`
        : `https://${domain.name}`;
    const reach = settings.endpointType === "private" ? ", in networks whose VPC endpoint has private DNS" : "";
    new CfnOutput(Stack.of(this), "ApiUrl", {
      description: `Base URL of the service for clients${reach}.`,
      value: this.url,
    });
  }

  private authorizerFunction(parts: StackParts): Worker {
    const { jwt, maxOwnedOrganizations } = parts.settings;
    // Empty rules let no user create an organization.
    const creators = maxOwnedOrganizations === 0 ? {} : parts.settings.organizationCreators;
    return new Worker(this, "Authorizer", parts, {
      handler: "workers/authorize",
      description: "Authenticates callers by API key or bearer token, and signs users in",
      impact:
        "Valid credentials get 503: the table access, or the issuer of the tokens, does not answer. Read authorization_failed in the authorizer's log.",
      memory: 512,
      timeout: 10,
      concurrency: parts.settings.authorizerConcurrency,
      // The first sign-in creates a user, an organization and a project.
      grants: {
        access: {
          GetItem: ["client", "key", "user"],
          PutItem: ["email", "organization", "project", "user"],
          UpdateItem: ["key", "user"],
        },
      },
      environment: {
        [variables.sharedUsageKey]: sharedUsageKey(this),
        [variables.usagePlan]: Aws.STACK_ID,
        ...(jwt !== undefined && { [variables.jwt]: jwt }),
        ...(jwt !== undefined && creators !== undefined && { [variables.organizationCreators]: creators }),
      },
    });
  }

  /** Returns the function that creates a project when an API key uses its name first, so that route functions need no such permission. */
  private projectMaker(parts: StackParts): Worker {
    return new Worker(this, "MakeProject", parts, {
      handler: "workers/make-project",
      description: "Creates a project when an API key uses its name for the first time",
      impact: "Requests that use a project name for the first time get 500 or 503. Read the function's log.",
      memory: 512,
      timeout: 12,
      grants: {
        access: {
          GetItem: ["organization"],
          BatchGetItem: ["organization"],
          PutItem: ["audit", "organization", "project"],
          UpdateItem: ["organization"],
        },
      },
      environment: { [variables.maxProjects]: String(parts.settings.maxProjectsPerOrganization) },
    });
  }

  /** Requires TLS 1.2 or newer. Without a policy a regional endpoint accepts TLS 1.0; plain HTTP is never answered. */
  private requireModernTls({ vpcEndpointIds }: Settings): void {
    const resource = this.rest.node.defaultChild;
    if (!(resource instanceof CfnRestApi)) throw new Error("The REST API has no resource of its own.");
    resource.securityPolicy = modernTls.securityPolicy;
    resource.endpointAccessMode = modernTls.endpointAccessMode;
    if (vpcEndpointIds !== undefined)
      resource.endpointConfiguration = { types: [EndpointType.PRIVATE], vpcEndpointIds: [...vpcEndpointIds] };
  }

  private acknowledge(hasAccessLogs: boolean): void {
    Validations.of(this.rest).acknowledge({
      id: "AwsSolutions-APIG2",
      reason: "The handlers validate path, query and body against the contract and answer 422 with all errors.",
    });
    const stage = Validations.of(this.rest.deploymentStage);
    stage.acknowledge(
      {
        id: "AwsSolutions-APIG3",
        reason: "A web ACL costs money while idle; an operator can attach one to the stage.",
      },
      { id: "AwsSolutions-APIG6", reason: "Execution logs contain request data. Every function logs its requests." },
    );
    if (hasAccessLogs) return;
    stage.acknowledge({
      id: "AwsSolutions-APIG1",
      reason: "Access logs need an account-wide role, which is only created on request (gatewayLogRole).",
    });
  }
}
