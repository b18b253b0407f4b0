import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { oneTimeSignIn } from "./gateway/one-time-sign-in.ts";
import { bearerToken } from "./bearer-token.ts";
import { bootstrap, physicalTable, type BootstrapTarget } from "./bootstrap.ts";
import { openBuildCache } from "./build/build-cache.ts";
import { type Credentials, readCredentials } from "./credentials.ts";
import { chooseEngine } from "./dynamodb/choose-engine.ts";
import type { Engine } from "./dynamodb/engine.ts";
import type { DeliveredEvent } from "./events/event-bus.ts";
import { writeJson } from "./host/json-file.ts";
import { listenOnLoopback } from "./host/loopback-server.ts";
import { openPrivateDirectory } from "./host/private-directory.ts";
import { openProcessRegister } from "./host/process-register.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { sandboxesPerFunction, sandboxesPerSharedFunction } from "./lambda/function-definition.ts";
import type { Functions } from "./lambda/functions.ts";
import { tableNames } from "../../lib/dynamo/table.ts";
import { startEventSender } from "./events/event-sender.ts";
import { failureLog } from "./host/failure-log.ts";
import { modelsOfProviders } from "./local-settings.ts";
import { startOfflineJudge } from "./offline-judge/offline-judge.ts";
import { type Services, startServices } from "./services.ts";
import type { IssuerSettings } from "../settings/sign-in-settings.ts";
import type { ProviderValues } from "./ssm/judge-parameters.ts";
import { type Synthesize, synthesizeForDevelopment } from "./synth.ts";

/** Options for starting the local runtime. */
export interface LocalOptions {
  /** Directory for all persistent data. */
  readonly directory: string;
  /** Port of the API; 0 for any free port. */
  readonly port: number;
  /** Directory of the build cache, which several processes may share; default `builds` in the data directory. */
  readonly builds?: string;
  readonly judgeModel?: string;
  readonly limitFactor?: number;
  /** Settings of a deployment by name, which the other options override. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Embedding model of the metrics coherence and loop_detection; default the offline judge's `offline/words`. */
  readonly embeddingModel?: string | undefined;
  /** Token issuers that the service accepts in addition to the local issuer. */
  readonly issuers?: readonly IssuerSettings[];
  /** Keys and base URLs of the judge's model providers. The offline judge is always configured. */
  readonly providers?: ProviderValues;
  /** Enforces the IAM policies of the functions' roles. Off by default, because it adds a proxy hop to every AWS call. */
  readonly checkGrants?: boolean;
  /** Maximum concurrent sandboxes of one API function; starting one takes a third of a second of one core. Default 4, in shared threads 2. */
  readonly sandboxesPerFunction?: number;
  /**
   * Runs all API functions in one thread of this process and all background functions in another, instead of one sandbox each. With
   * handlers that share code, this takes a fraction of the computing time; no limit of time or memory ends a function.
   */
  readonly sharedThreads?: boolean;
  /** Clock of the Scheduler in epoch milliseconds; default the machine's clock. */
  readonly schedulerClock?: () => number;
  /** Treats requests from this machine that have no credential as requests of the developer. */
  readonly noSignIn?: boolean;
  /** Called after the console has used an address of `signInAddress`. */
  readonly onSignIn?: () => void;
  /** Called with the name of each build that is not cached, before the build starts. */
  readonly onBuild?: (name: string) => void;
  /** Called with each event that the service puts on the event bus. */
  readonly onEvent?: (event: DeliveredEvent) => void;
  /** Address on this machine to which events are sent; null or absent for none. */
  readonly eventReceiver?: string | null;
  /** The database engine; default the engine that the environment variable `DYNAMODB` selects. */
  readonly engine?: Engine;
  /** Synthesizes the stack; default `synthesizeForDevelopment`, which runs the project's CDK app. */
  readonly synthesize?: Synthesize;
  /** Creates or reads the first organization's credentials; default `bootstrap`. */
  readonly bootstrap?: (directory: string, target: BootstrapTarget) => Promise<Credentials>;
}

/** A running local runtime and the addresses of its services. */
export interface LocalStack {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** A bearer token of the developer. */
  readonly bearerToken: string;
  /** Creates an address of the console that signs in as the developer, once. */
  signInAddress(): string;
  readonly issuer: Issuer;
  readonly functions: Functions;
  readonly endpoints: Services["endpoints"];
  readonly environments: Services["environments"];
  readonly denials: Services["denials"];
  /** ARNs of the functions that fixed schedules call. */
  readonly scheduled: Services["scheduled"];
  /** Stops all services and starts them again with the same data and the same port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

type Running = Omit<LocalStack, "restart">;

const requireFreePort = async (port: number): Promise<void> => {
  const probe = await listenOnLoopback(createServer(), port);
  await probe.close();
};

const startOnce = async (options: LocalOptions, port: number): Promise<Running> => {
  const directory = resolve(options.directory);
  const engine = options.engine ?? chooseEngine(process.env["DYNAMODB"]);
  const dataDirectory = engine.dataDirectory(directory);
  openPrivateDirectory(directory);
  const register = openProcessRegister(directory);
  const ready = join(directory, "ready.json");
  rmSync(ready, { force: true });

  const stops: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    rmSync(ready, { force: true });
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  };
  try {
    await requireFreePort(port);
    const database = await engine.start(dataDirectory, register);
    stops.push(() => database.close());
    const issuer = await startIssuer(directory);
    stops.push(() => issuer.close());
    const judge = await startOfflineJudge();
    stops.push(() => judge.close());
    const { judgeModel = "offline/rules", embeddingModel = "offline/words", limitFactor = 1, issuers = [] } = options;
    const { jwksUri } = issuer;
    const otherSettings = { ...modelsOfProviders(options.providers ?? {}), ...options.settings };
    const settings = { judgeModel, embeddingModel, limitFactor, jwksUri, issuers, settings: otherSettings };
    // @throws Error if the data directory has no credentials yet.
    const developerSession = async () => {
      const credentials = readCredentials(dataDirectory);
      if (credentials === undefined) throw new Error("No credentials exist yet: the first start has not finished.");
      return { token: await bearerToken(issuer, credentials), project_id: credentials.projectId };
    };
    const signIn = oneTimeSignIn(developerSession, () => options.onSignIn?.());
    const builds = openBuildCache(options.builds ?? join(directory, "builds"), options.onBuild);
    const assembly = await (options.synthesize ?? synthesizeForDevelopment)(directory, settings, builds);
    const { eventReceiver = null } = options;
    if (eventReceiver !== null) {
      const sender = startEventSender(directory, eventReceiver, failureLog(directory));
      stops.push(() => sender.stop());
    }
    const { sharedThreads = false } = options;
    const services = await startServices({
      directory,
      dataDirectory,
      database,
      assembly,
      builds,
      register,
      port,
      providers: { ...options.providers, offline: { baseUrl: judge.url } },
      checkGrants: options.checkGrants ?? false,
      schedulerClock: options.schedulerClock ?? Date.now,
      sandboxesPerFunction:
        options.sandboxesPerFunction ?? (sharedThreads ? sandboxesPerSharedFunction : sandboxesPerFunction),
      sharedThreads,
      access: {
        signIn,
        ...(options.noSignIn === true && { anonymousToken: async () => (await developerSession()).token }),
      },
      onEvent: options.onEvent ?? (() => undefined),
      onStarted: (stop) => void stops.push(stop),
    });
    const { gateway, functions, endpoints, environments, denials, scheduled } = services;
    const isNew = readCredentials(dataDirectory) === undefined;
    const target = { environments, dynamoDbUrl: endpoints.DYNAMODB };
    const credentials = await (options.bootstrap ?? bootstrap)(dataDirectory, target);
    const token = await bearerToken(issuer, credentials);
    writeJson(ready, {
      base_url: gateway.url,
      api_key: credentials.apiKey,
      project_name: credentials.projectName,
      project_id: credentials.projectId,
      organization_id: credentials.organizationId,
      bearer_token: token,
      dynamodb_url: endpoints.DYNAMODB,
      tables: Object.fromEntries(tableNames.map((table) => [table, physicalTable(environments, table)])),
    });
    // Queues are in memory. The scheduled functions send the work that the previous run left in them again.
    if (!isNew) for (const functionArn of scheduled) void functions.invoke(functionArn, { queue_lost: true });
    const baseUrl = gateway.url;
    const signInAddress = (): string => `${baseUrl}/console#once=${signIn.issue()}`;
    const handles = { issuer, functions, endpoints, environments, denials, scheduled, close };
    return { baseUrl, credentials, bearerToken: token, signInAddress, ...handles };
  } catch (error) {
    await close();
    throw error;
  }
};

/**
 * Starts the whole service on this machine, bound to 127.0.0.1.
 *
 * @throws Error with one sentence when the port is in use, a prerequisite is missing or the stack does not synthesize.
 */
export const startLocal = async (options: LocalOptions): Promise<LocalStack> => {
  let running = await startOnce(options, options.port);
  const stack: LocalStack = {
    ...running,
    restart: async () => {
      const port = Number(new URL(running.baseUrl).port);
      await running.close();
      running = await startOnce(options, port);
      const { close: _, ...handles } = running;
      Object.assign(stack, handles);
    },
    close: () => running.close(),
  };
  return stack;
};
