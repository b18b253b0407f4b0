import { mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { bearerToken } from "./bearer-token.ts";
import { bootstrap, type BootstrapTarget } from "./bootstrap.ts";
import { openBuildCache } from "./build/build-cache.ts";
import { type Credentials, keptCredentials } from "./credentials.ts";
import { chooseEngine } from "./dynamodb/choose-engine.ts";
import type { Engine } from "./dynamodb/engine.ts";
import type { DeliveredEvent } from "./events/event-bus.ts";
import { writeJson } from "./host/json-file.ts";
import { listenOnLoopback } from "./host/loopback-server.ts";
import { openProcessRegister } from "./host/process-register.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { sandboxesPerFunction } from "./lambda/function-definition.ts";
import type { Functions } from "./lambda/functions.ts";
import { startOfflineJudge } from "./offline-judge/offline-judge.ts";
import { type Services, startServices } from "./services.ts";
import type { IssuerSettings } from "../settings/sign-in-settings.ts";
import type { ProviderValues } from "./ssm/judge-parameters.ts";
import { type Synthesize, synthesize } from "./synth.ts";

/** How to start the local runtime. */
export interface LocalOptions {
  /** Where everything that lasts is kept. */
  readonly directory: string;
  /** 0: any free port. */
  readonly port: number;
  /** Where what is built is kept, which other processes may share; in the directory when absent. */
  readonly builds?: string;
  readonly judgeModel?: string;
  readonly limitFactor?: number;
  /** Embedding model of coherence and loop_detection; the offline judge's when absent. */
  readonly embeddingModel?: string | undefined;
  /** Whose tokens are taken beside those of this machine's own issuer. */
  readonly issuers?: readonly IssuerSettings[];
  /** What is stored for the judge's providers; the offline judge is always there. */
  readonly providers?: ProviderValues;
  /** Holds functions to what their roles allow, as IAM would; off by default, since every call takes a hop more. */
  readonly checkGrants?: boolean;
  /** API functions that are kept started while nobody calls them, each 20 to 25 MB; a dozen when absent. */
  readonly warmFunctions?: number;
  /** Sandboxes of an API function at a time, each of which costs a third of a second of a core; four when absent. */
  readonly sandboxesPerFunction?: number;
  /** What the Scheduler takes for the time, epoch milliseconds; the machine's clock when absent. */
  readonly schedulerClock?: () => number;
  /** Takes calls of this machine without a credential for the developer's. */
  readonly noSignIn?: boolean;
  /** Told the name of what has to be built before the start can go on. */
  readonly onBuild?: (name: string) => void;
  /** Told of each event that the service puts on the bus. */
  readonly onEvent?: (event: DeliveredEvent) => void;
  /** The database; what the shell's `DYNAMODB` asks for when absent. */
  readonly engine?: Engine;
  /** Makes the stack; the project's own when absent. */
  readonly synthesize?: Synthesize;
  /** Makes or reads the first organization's credentials; the project's own when absent. */
  readonly bootstrap?: (directory: string, target: BootstrapTarget) => Promise<Credentials>;
}

/** The local runtime, running. */
export interface LocalStack {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** A bearer token of the first user. */
  readonly bearerToken: string;
  readonly issuer: Issuer;
  readonly functions: Functions;
  readonly endpoints: Services["endpoints"];
  readonly environments: Services["environments"];
  readonly denials: Services["denials"];
  /** Stops everything and starts it again on the same data and port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @throws Error before the first start on this data has made the developer. */
const developerToken = async (issuer: Issuer, dataDirectory: string): Promise<string> => {
  const credentials = keptCredentials(dataDirectory);
  if (credentials === undefined) throw new Error("There is no developer yet.");
  return bearerToken(issuer, credentials);
};

type Running = Omit<LocalStack, "restart">;

const requirePort = async (port: number): Promise<void> => {
  const probe = await listenOnLoopback(createServer(), port);
  await probe.close();
};

const startOnce = async (options: LocalOptions, port: number): Promise<Running> => {
  const directory = resolve(options.directory);
  const engine = options.engine ?? chooseEngine(process.env["DYNAMODB"]);
  const dataDirectory = engine.dataDirectory(directory);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const register = openProcessRegister(directory);
  const ready = join(directory, "ready.json");
  rmSync(ready, { force: true });

  const stops: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    rmSync(ready, { force: true });
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  };
  try {
    await requirePort(port);
    const database = await engine.start(dataDirectory, register);
    stops.push(() => database.close());
    const issuer = await startIssuer(directory);
    stops.push(() => issuer.close());
    const judge = await startOfflineJudge();
    stops.push(() => judge.close());
    const { judgeModel = "offline/rules", embeddingModel = "offline/words", limitFactor = 1, issuers = [] } = options;
    const settings = { judgeModel, embeddingModel, limitFactor, jwksUri: issuer.jwksUri, issuers };
    const builds = openBuildCache(options.builds ?? join(directory, "builds"), options.onBuild);
    const assembly = await (options.synthesize ?? synthesize)(directory, settings, builds);
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
      warmFunctions: options.warmFunctions ?? 12,
      sandboxesPerFunction: options.sandboxesPerFunction ?? sandboxesPerFunction,
      ...(options.noSignIn === true && { anonymousToken: () => developerToken(issuer, dataDirectory) }),
      onEvent: options.onEvent ?? (() => undefined),
      onStarted: (stop) => void stops.push(stop),
    });
    const { gateway, functions, endpoints, environments, denials, scheduled } = services;
    const isNew = keptCredentials(dataDirectory) === undefined;
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
    });
    // Queues are in memory: what lay in them when the last run of this data ended is sent again.
    if (!isNew) for (const each of scheduled) void functions.invoke(each, { queue_lost: true });
    const baseUrl = gateway.url;
    return { baseUrl, credentials, bearerToken: token, issuer, functions, endpoints, environments, denials, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/**
 * Starts the stack on this machine, bound to 127.0.0.1.
 *
 * @throws Error with one clear sentence when a port is taken, a prerequisite is missing or the stack does not synthesize.
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
