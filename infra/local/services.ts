import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { SQSClient } from "@aws-sdk/client-sqs";
import { startApiGateway } from "./api-gateway/api-gateway.ts";
import { openGatewayKeys } from "./api-gateway/gateway-keys.ts";
import type { BuildCache } from "./build/build-cache.ts";
import { startDynamoDb } from "./dynamodb/dynamodb.ts";
import type { Database } from "./dynamodb/engine.ts";
import { type DeliveredEvent, startEventBus } from "./events/event-bus.ts";
import { eventFile } from "./events/event-file.ts";
import { apiDefinition } from "./gateway/api-definition.ts";
import { startGateway } from "./gateway/gateway.ts";
import { usagePlans } from "./gateway/usage-plan.ts";
import { localClient } from "./host/aws-client.ts";
import { failureLog } from "./host/failure-log.ts";
import type { Endpoint } from "./host/loopback-server.ts";
import type { ProcessRegister } from "./host/process-register.ts";
import { type Denial, startGuard } from "./iam/guard.ts";
import { rolePolicies } from "./iam/role-policies.ts";
import { asynchronousCalls } from "./lambda/asynchronous.ts";
import { functionDefinitions } from "./lambda/function-definition.ts";
import { type Functions, startFunctions } from "./lambda/functions.ts";
import { startLambdaApi } from "./lambda/lambda-api.ts";
import { runtimeBundle } from "./lambda/runtime-bundle.ts";
import { eventSources } from "./mapping/event-source.ts";
import { failureDestination } from "./mapping/failure-record.ts";
import { startSqsMapping } from "./mapping/sqs-mapping.ts";
import { startStreamMapping } from "./mapping/stream-mapping.ts";
import { openPositions } from "./mapping/stream-positions.ts";
import { startSchedulerApi } from "./scheduler/scheduler-api.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import { openSchedules } from "./scheduler/schedules.ts";
import { queueUrl, startSqs } from "./sqs/sqs.ts";
import { judgeParameters, type ProviderValues } from "./ssm/judge-parameters.ts";
import { type Parameters, startSsm } from "./ssm/ssm.ts";
import { arnService } from "./template/arn.ts";
import { type Resolver, resolverOf } from "./template/intrinsics.ts";
import type { Assembly } from "./template/template.ts";

/** The stack, running. */
export interface Services {
  readonly gateway: Endpoint;
  readonly functions: Functions;
  /** Addresses by the SDK's service id. */
  readonly endpoints: Readonly<
    Record<"DYNAMODB" | "SQS" | "SSM" | "API_GATEWAY" | "SCHEDULER" | "EVENTBRIDGE" | "LAMBDA", string>
  >;
  /** Calls that were refused because a function's role does not allow them. */
  readonly denials: readonly Denial[];
  /** The functions that the template's schedules call, by ARN. */
  readonly scheduled: readonly string[];
  /** The resolved environment of every function. */
  readonly environments: readonly Readonly<Record<string, string>>[];
}

/** What the services are started with. */
export interface Setup {
  readonly directory: string;
  /** Where what belongs to the database's rows is kept. */
  readonly dataDirectory: string;
  readonly database: Database;
  readonly assembly: Assembly;
  readonly builds: BuildCache;
  readonly register: ProcessRegister;
  readonly port: number;
  /** What is stored for the judge's providers. */
  readonly providers: ProviderValues;
  /** Holds functions to what their roles allow; costs a hop for every call. */
  readonly checkGrants: boolean;
  /** API functions that are kept started while nobody calls them. */
  readonly warmFunctions: number;
  /** Sandboxes of an API function at a time. */
  readonly sandboxesPerFunction: number;
  /** What the Scheduler takes for the time, epoch milliseconds. */
  readonly schedulerClock: () => number;
  /** Makes a bearer token of whom calls without a credential are taken for; nobody when absent. */
  readonly anonymousToken?: () => Promise<string>;
  /** Told of each event that was put on the bus. */
  onEvent(event: DeliveredEvent): void;
  /** Told how to stop each part, in the order of starting; called even when a later part fails to start. */
  onStarted(stop: () => Promise<void>): void;
}

const parametersOf = (resolver: Resolver): Parameters =>
  new Map(
    resolver
      .resources("AWS::SSM::Parameter")
      .map(({ id, properties }) => [resolver.nameOf(id), String(properties["Value"])]),
  );

/** Starts every service of the stack, each from the template. */
export const startServices = async ({
  directory,
  dataDirectory,
  database,
  assembly,
  builds,
  register,
  port,
  providers,
  checkGrants,
  schedulerClock,
  warmFunctions,
  sandboxesPerFunction,
  anonymousToken,
  onEvent,
  onStarted,
}: Setup): Promise<Services> => {
  const started = <T extends { close(): Promise<void> }>(part: T): T => {
    onStarted(() => part.close());
    return part;
  };
  const resolver = resolverOf(assembly.template);
  const dynamoDb = started(await startDynamoDb(database, resolver));
  const queues = started(await startSqs(resolver));
  const definitions = functionDefinitions(resolver, assembly.assets);
  const environments = definitions.map(({ environment }) => environment);
  const ssm = started(
    await startSsm(new Map([...parametersOf(resolver), ...judgeParameters(environments, providers)])),
  );
  const keys = openGatewayKeys(dataDirectory, resolver);
  const apiGateway = started(await startApiGateway(keys));
  const schedules = openSchedules(dataDirectory, resolver, schedulerClock());
  const scheduler = started(await startSchedulerApi(schedules, schedulerClock));
  const keep = eventFile(directory);
  const bus = started(
    await startEventBus((event) => {
      keep(event);
      onEvent(event);
    }),
  );
  let ready: Functions | undefined;
  const lambda = started(
    await startLambdaApi(() => {
      if (ready === undefined) throw new Error("A function was called before functions were started.");
      return ready;
    }),
  );
  const endpoints = {
    DYNAMODB: dynamoDb.url,
    SQS: queues.url,
    SSM: ssm.url,
    API_GATEWAY: apiGateway.url,
    SCHEDULER: scheduler.url,
    EVENTBRIDGE: bus.url,
    LAMBDA: lambda.url,
  };
  const denials: Denial[] = [];
  const reached: Record<string, string> = { ...endpoints };
  if (checkGrants) {
    const policies = rolePolicies(resolver);
    for (const [service, url] of Object.entries(endpoints)) {
      const guard = started(await startGuard(url, policies, (denial) => denials.push(denial)));
      reached[service] = guard.url;
    }
  }
  const functions = started(
    startFunctions({
      directory,
      runtime: await runtimeBundle(directory, builds),
      definitions,
      endpoints: reached,
      register,
      warmThreads: warmFunctions,
      threadsPerFunction: sandboxesPerFunction,
    }),
  );

  ready = functions;
  const sqs = new SQSClient(localClient(queues.url));
  const client = new DynamoDBStreamsClient(localClient(dynamoDb.url));
  const destination = failureDestination(sqs, queues.url);
  const noteFailure = failureLog(directory);
  const mapped = {
    client,
    functions,
    destination,
    noteFailure,
    positions: openPositions(dataDirectory),
    streams: dynamoDb.streams,
  };
  const mappings = eventSources(resolver).map((source) =>
    arnService(source.sourceArn) === "sqs"
      ? startSqsMapping(sqs, queueUrl(queues.url, source.sourceArn), source, functions, noteFailure)
      : startStreamMapping(mapped, source),
  );
  const calls = asynchronousCalls(resolver, functions, destination);
  const background = [
    ...mappings,
    calls,
    startScheduler(schedules, { calls, sqs, sqsUrl: queues.url }, schedulerClock, noteFailure),
  ];
  onStarted(async () => {
    // Calls that are under way fail at once: their work comes back, as after any other end of the process.
    const stopping = background.map((part) => part.stop());
    await functions.close();
    await Promise.all(stopping);
    sqs.destroy();
    client.destroy();
  });

  const gateway = started(
    await startGateway(apiDefinition(resolver), functions, usagePlans(resolver, keys), port, anonymousToken),
  );
  const scheduled = resolver
    .resources("AWS::Scheduler::Schedule")
    .map(({ properties }) => (properties["Target"] as { readonly Arn: string }).Arn)
    .filter((target) => arnService(target) === "lambda");
  return { gateway, functions, endpoints, environments, denials, scheduled };
};
