import { join } from "node:path";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { SQSClient } from "@aws-sdk/client-sqs";
import { startApiGateway } from "./api-gateway/api-gateway.ts";
import { openGatewayKeys } from "./api-gateway/gateway-keys.ts";
import type { BuildCache } from "./build/build-cache.ts";
import { startDynamoDb } from "./dynamodb/dynamodb.ts";
import type { Database } from "./dynamodb/engine.ts";
import { type DeliveredEvent, startEventBus } from "./events/event-bus.ts";
import { eventFileWriter } from "./events/event-file.ts";
import { withoutCopies } from "../../lib/aws/without-copies.ts";
import { variables } from "../../lib/wiring/environment.ts";
import { apiDefinition } from "./gateway/api-definition.ts";
import { type LocalAccess, startGateway } from "./gateway/gateway.ts";
import { usagePlans } from "./gateway/usage-plan.ts";
import { localClient } from "./host/aws-client.ts";
import { failureLog } from "./host/failure-log.ts";
import type { Endpoint } from "./host/loopback-server.ts";
import type { ProcessRegister } from "./host/process-register.ts";
import { type Denial, startGuard } from "./iam/guard.ts";
import { rolePolicies } from "./iam/role-policies.ts";
import { asynchronousCalls, type AsynchronousInvoker } from "./lambda/asynchronous-calls.ts";
import { ownProcess, ownThread } from "./lambda/channel.ts";
import { functionDefinitions } from "./lambda/function-definition.ts";
import { type Functions, startFunctions } from "./lambda/functions.ts";
import { startLambdaApi } from "./lambda/lambda-api.ts";
import { runtimePrograms } from "./lambda/runtime-bundle.ts";
import { sharedThread } from "./lambda/shared-thread.ts";
import { eventSources } from "./mapping/event-source.ts";
import { failureDestination } from "./mapping/failure-record.ts";
import { startSqsMapping } from "./mapping/sqs-mapping.ts";
import { startStreamMapping } from "./mapping/stream-mapping.ts";
import { openPositions } from "./mapping/stream-positions.ts";
import { repository } from "./repository.ts";
import { hasDuckDb } from "./s3/has-duck-db.ts";
import { startS3 } from "./s3/s3.ts";
import { startSchedulerApi } from "./scheduler/scheduler-api.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import { openSchedules } from "./scheduler/schedules.ts";
import { queueUrl, startSqs } from "./sqs/sqs.ts";
import { judgeParameters, type ProviderValues } from "./ssm/judge-parameters.ts";
import { type Parameters, startSsm } from "./ssm/ssm.ts";
import { arnService } from "./template/arn.ts";
import { type Resolver, resolverOf } from "./template/intrinsics.ts";
import type { Assembly } from "./template/template.ts";

/** The running services of the stack. */
export interface Services {
  readonly gateway: Endpoint;
  readonly functions: Functions;
  /** URLs of the emulated AWS services, by the SDK's service id. */
  readonly endpoints: Readonly<
    Record<"DYNAMODB" | "SQS" | "SSM" | "API_GATEWAY" | "SCHEDULER" | "EVENTBRIDGE" | "LAMBDA" | "S3", string>
  >;
  /** AWS calls that were refused because the policies of the function's role do not allow them. */
  readonly denials: readonly Denial[];
  /** ARNs of the functions that the template's schedules invoke. */
  readonly scheduled: readonly string[];
  /** Resolved environment variables of every function. */
  readonly environments: readonly Readonly<Record<string, string>>[];
}

/** Options for starting the services of the stack. */
export interface ServicesOptions {
  readonly directory: string;
  /** Directory for files that belong to one database: credentials, keys, schedules and stream positions. */
  readonly dataDirectory: string;
  readonly database: Database;
  readonly assembly: Assembly;
  readonly builds: BuildCache;
  readonly register: ProcessRegister;
  readonly port: number;
  /** Keys and base URLs of the judge's model providers. */
  readonly providers: ProviderValues;
  /** Enforces the IAM policies of the functions' roles, through a proxy in front of every AWS service. */
  readonly checkGrants: boolean;
  /** Maximum concurrent sandboxes of one API function. */
  readonly sandboxesPerFunction: number;
  /** Runs all API functions in one thread of this process, and all background functions in another. */
  readonly sharedThreads: boolean;
  /** Clock of the Scheduler, in epoch milliseconds. */
  readonly schedulerClock: () => number;
  readonly access: LocalAccess;
  /** Called with each event that a function put on the event bus. */
  onEvent(event: DeliveredEvent): void;
  /** Called with the stop function of each service right after its start, so that a failed start can stop the services before it. */
  onStarted(stop: () => Promise<void>): void;
}

/** Idle sandboxes of API functions that stay started, and as many of background functions: 20 to 25 MB each if they share nothing. */
const maxIdleSandboxes = 12;

/** Milliseconds after which an idle process of a background function ends, which takes 90 MB; schedules call each minute. */
const maxIdleProcessMs = 90_000;

const parametersOf = (resolver: Resolver): Parameters =>
  new Map(
    resolver
      .resources("AWS::SSM::Parameter")
      .map(({ id, properties }) => [resolver.nameOf(id), String(properties["Value"])]),
  );

/** Starts every service of the stack as the CloudFormation template defines it. */
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
  sandboxesPerFunction,
  sharedThreads,
  access,
  onEvent,
  onStarted,
}: ServicesOptions): Promise<Services> => {
  const closeOnStop = <T extends { close(): Promise<void> }>(part: T): T => {
    onStarted(() => part.close());
    return part;
  };
  const resolver = resolverOf(assembly.template);
  const keys = openGatewayKeys(dataDirectory, resolver);
  const dynamoDb = closeOnStop(await startDynamoDb(database, resolver));
  const queues = closeOnStop(await startSqs(resolver));
  const files = closeOnStop(await startS3(join(dataDirectory, "s3")));
  const overrides = {
    ...(port !== 0 && { [variables.serviceUrl]: `http://127.0.0.1:${port}` }),
    // The host's DuckDB in place of the layer; without it the service works as if it had no lake.
    [variables.lakePackages]: `${repository}/`,
    ...(!hasDuckDb() && { [variables.lakeWriter]: "" }),
  };
  const definitions = functionDefinitions(resolver, assembly.assets, overrides);
  const environments = definitions.map(({ environment }) => environment);
  const ssm = closeOnStop(
    await startSsm(new Map([...parametersOf(resolver), ...judgeParameters(environments, providers)])),
  );
  const apiGateway = closeOnStop(await startApiGateway(keys));
  const schedules = openSchedules(dataDirectory, resolver, schedulerClock());
  const scheduler = closeOnStop(await startSchedulerApi(schedules, schedulerClock));
  const appendEvent = eventFileWriter(directory);
  const bus = closeOnStop(
    await startEventBus((event) => {
      appendEvent(event);
      onEvent(event);
    }),
  );
  let started: { readonly functions: Functions; readonly calls: AsynchronousInvoker } | undefined;
  const startedParts = () => {
    if (started === undefined) throw new Error("A function was called before functions were started.");
    return started;
  };
  const lambda = closeOnStop(
    await startLambdaApi(
      () => startedParts().functions,
      () => startedParts().calls,
    ),
  );
  const endpoints = {
    DYNAMODB: dynamoDb.url,
    SQS: queues.url,
    SSM: ssm.url,
    API_GATEWAY: apiGateway.url,
    SCHEDULER: scheduler.url,
    EVENTBRIDGE: bus.url,
    LAMBDA: lambda.url,
    S3: files.url,
  };
  const denials: Denial[] = [];
  const functionEndpoints: Record<string, string> = { ...endpoints };
  const guardedPorts = new Map<number, number>();
  const policies = rolePolicies(resolver);
  if (checkGrants) {
    for (const [service, url] of Object.entries(endpoints)) {
      const guard = closeOnStop(await startGuard(url, policies, (denial) => denials.push(denial), keys.tagsOf));
      functionEndpoints[service] = guard.url;
      guardedPorts.set(Number(new URL(guard.url).port), Number(new URL(url).port));
    }
  }
  const programs = await runtimePrograms(directory, builds);
  const guarded = { ports: guardedPorts, policies };
  const functions = closeOnStop(
    startFunctions({
      directory,
      start: sharedThreads
        ? { thread: sharedThread(programs.shared, guarded), process: sharedThread(programs.shared, guarded) }
        : { thread: ownThread(programs.single), process: ownProcess(programs.single) },
      definitions,
      endpoints: functionEndpoints,
      register,
      maxIdle: sharedThreads ? Number.POSITIVE_INFINITY : maxIdleSandboxes,
      maxIdleMs: sharedThreads ? null : maxIdleProcessMs,
      threadsPerFunction: sandboxesPerFunction,
    }),
  );

  // Both are called many times a second.
  const sqs = withoutCopies(new SQSClient(localClient(queues.url)));
  const client = withoutCopies(new DynamoDBStreamsClient(localClient(dynamoDb.url)));
  const destination = failureDestination(sqs, queues.url);
  const logFailure = failureLog(directory);
  const positions = openPositions(dataDirectory, (error) => logFailure("streams.json", error));
  const streamServices = {
    client,
    functions,
    destination,
    logFailure,
    positions,
    streams: dynamoDb.streams,
  };
  const mappings = eventSources(resolver).map((source) =>
    arnService(source.sourceArn) === "sqs"
      ? startSqsMapping(sqs, queueUrl(queues.url, source.sourceArn), source, functions, logFailure)
      : startStreamMapping(streamServices, source),
  );
  const calls = asynchronousCalls(resolver, functions, destination);
  started = { functions, calls };
  const background = [
    ...mappings,
    calls,
    startScheduler(schedules, { calls, sqs, sqsUrl: queues.url }, schedulerClock, logFailure),
  ];
  onStarted(async () => {
    // Running invocations fail at once. Their messages and records are delivered again after the next start.
    const stopping = background.map((part) => part.stop());
    await functions.close();
    await Promise.all(stopping);
    positions.close();
    sqs.destroy();
    client.destroy();
  });

  const gateway = closeOnStop(
    await startGateway(apiDefinition(resolver), functions, usagePlans(resolver, keys), port, access),
  );
  const scheduled = resolver
    .resources("AWS::Scheduler::Schedule")
    .map(({ properties }) => (properties["Target"] as { readonly Arn: string }).Arn)
    .filter((target) => arnService(target) === "lambda");
  return { gateway, functions, endpoints, environments, denials, scheduled };
};
