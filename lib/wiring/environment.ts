import { optional, parse, picklist } from "valibot";
import { parseInstant } from "../domain/instant.ts";
import { serviceTiers, type ServiceTier } from "../domain/runs/tier.ts";
import { defaultStartBounds, type StartBounds } from "../domain/traces/limits.ts";
import { stageVariable } from "../published-metrics.ts";

/** Names of the environment variables that infrastructure sets and functions read. */
export const variables = {
  stage: stageVariable,
  /** Version of the build, for the functions that report it. */
  version: "SERVICE_VERSION",
  /** Commit of the build, for the same functions. */
  commit: "SERVICE_COMMIT",
  /** URL of the judge queue, which holds messages about run slices. */
  judgeQueueUrl: "JUDGE_QUEUE_URL",
  /** Ids of the event source mappings of stream workers: `<worker>=<id>`, separated by blanks. */
  streamMappings: "STREAM_MAPPINGS",
  /** Default judge model of runs, `<provider>/<model>`. */
  judgeModel: "JUDGE_MODEL",
  /** Default service tier of runs. */
  judgeTier: "JUDGE_TIER",
  /** Concurrent judge calls of one worker. */
  judgeCalls: "JUDGE_CALLS_PER_WORKER",
  /** Previews that ask a judge: at most per organization and day, and at a time in the deployment. */
  maxPreviewsPerDay: "MAX_PREVIEWS_PER_DAY",
  maxConcurrentPreviews: "MAX_CONCURRENT_PREVIEWS",
  /** SSM parameter names by judge provider, JSON: `{"openai": {"key": "/assay/prod/openai/key", "baseUrl": "..."}}`. */
  judgeProviders: "JUDGE_PROVIDERS",
  /** Patterns of the judge models that may be asked, a `jsonSetting`; absent for the default. */
  judgeModels: "JUDGE_MODELS",
  /** Operator-defined prices of judge models, a `jsonSetting` by `<provider>/<model>`, US dollars per million tokens; optional. */
  judgePrices: "JUDGE_PRICES",
  /** Operator-defined prices of the models in traces, a `jsonSetting`; optional. */
  tracePrices: "TRACE_PRICES",
  /** Limits of judge transcripts, a `jsonSetting`; absent for the defaults. */
  judgeTranscripts: "JUDGE_TRANSCRIPTS",
  /** Reasoning efforts of judge models, a `jsonSetting` by `<provider>/<model>`; optional. */
  judgeEfforts: "JUDGE_EFFORTS",
  /** Request formats that judge models accept, a `jsonSetting` by provider; optional. */
  judgeDialects: "JUDGE_DIALECTS",
  /** Cost ceilings of judge calls per calendar month, US dollars, for the deployment, each project and each organization; absent for none. */
  monthlyCostCeiling: "MONTHLY_COST_CEILING_USD",
  projectMonthlyCostCeiling: "PROJECT_MONTHLY_COST_CEILING_USD",
  organizationMonthlyCostCeiling: "ORGANIZATION_MONTHLY_COST_CEILING_USD",
  /** Embedding model of the metrics coherence and loop_detection, `<provider>/<model>`; absent if none was chosen. */
  embeddingModel: "EMBEDDING_MODEL",
  /** JWT settings, a `jsonSetting`; absent if bearer tokens are not accepted. */
  jwt: "JWT_SETTINGS",
  /** Public settings of the OpenID issuers with which people sign in at the console, a `jsonSetting`. */
  consoleIssuers: "CONSOLE_ISSUERS",
  /** Value of the stack's shared API Gateway key. It selects a usage plan for throttling and grants no access. */
  sharedUsageKey: "SHARED_USAGE_KEY",
  /** Name of the clients' usage plan in the table `access`: the id of its stack, because the authorizer cannot refer to the plan. */
  usagePlan: "USAGE_PLAN",
  /** Event bus, name or ARN; absent for the default bus of the account. */
  eventBus: "EVENT_BUS",
  /** Base URL of the service, for links in events. */
  serviceUrl: "SERVICE_URL",
  /** `true` if deletions of traces, sessions, runs and monitors are written to the audit log; otherwise absent. */
  auditDeletions: "AUDIT_DELETIONS",
  /** Destinations that are told of alerts, a `jsonSetting`; absent for none. */
  alertReceivers: "ALERT_RECEIVERS",
  /** Tags of new gateway keys, a `jsonSetting`. */
  gatewayKeyTags: "GATEWAY_KEY_TAGS",
  /** Retention of a trace after its arrival, days; 0 for unlimited retention. */
  retentionDays: "RETENTION_DAYS",
  /** Bounds of the start of a trace: earliest date, and maximum hours ahead of the server clock; absent for the defaults. */
  traceStartsFrom: "TRACE_STARTS_FROM",
  traceStartsAheadHours: "TRACE_STARTS_AHEAD_HOURS",
  /** Rate limit of the function's route, requests per minute and client; absent for the default of the route. */
  limitPerMinute: "LIMIT_PER_MINUTE",
  /** Factor on every rate limit; 1 for the documented limits. */
  limitFactor: "LIMIT_FACTOR",
  /** Allowed CORS origins, a `jsonSetting`; absent for none. */
  allowedOrigins: "ALLOWED_ORIGINS",
  /** Throttling limit of API Gateway for the function's route, requests per second of all clients together. */
  requestsPerSecond: "REQUESTS_PER_SECOND",
  /** Rate limit of an organization as a multiple of a client's limit, 0 for none; absent for the default. */
  organizationLimitFactor: "ORGANIZATION_LIMIT_FACTOR",
  /** Rate limit of the function's route, requests per minute and organization; optional. */
  organizationLimit: "ORGANIZATION_LIMIT",
  /** Read budget of lists, analytics, traces and scores, DynamoDB read units per minute and client; 0 for no limit, absent for the default. */
  readUnits: "READ_UNITS_PER_MINUTE",
  maxTargetsPerRun: "MAX_TARGETS_PER_RUN",
  maxTargetsPerBatch: "MAX_TARGETS_PER_BATCH",
  /** Name of the schedule group of monitors. */
  scheduleGroup: "SCHEDULE_GROUP",
  /** ARN of the role with which schedules send firing messages. */
  scheduleRole: "SCHEDULE_ROLE",
  /** ARN of the firing queue, the target of the schedules. */
  firingQueueArn: "FIRING_QUEUE_ARN",
  /** ARN of the dead-letter queue for firing messages that EventBridge Scheduler cannot send. */
  firingDeadLettersArn: "FIRING_DEAD_LETTERS_ARN",
  /** URL of the firing queue, to which the sweeper sends missed firings. */
  firingQueueUrl: "FIRING_QUEUE_URL",
  /** Name of the function that creates a project at the first request of an API key that names it. */
  projectMaker: "PROJECT_MAKER",
  /** Name of the function that reprices days, which the sweeper starts. */
  dayRepricer: "DAY_REPRICER",
  /** Name of the lake's bucket. */
  lakeBucket: "LAKE_BUCKET",
  /** Folder from which the lake's writer resolves DuckDB, with a slash at its end. */
  lakePackages: "LAKE_PACKAGES",
  /** Name of the function that writes the lake and looks words up in it; absent or empty where DuckDB does not exist. */
  lakeWriter: "LAKE_WRITER",
  maxProjects: "MAX_PROJECTS_PER_ORGANIZATION",
  maxMonitors: "MAX_MONITORS_PER_PROJECT",
  maxCustomMetrics: "MAX_METRICS_PER_PROJECT",
  /** Organizations that a user may own, at most. */
  maxOwnedOrganizations: "MAX_OWNED_ORGANIZATIONS",
  /** Rules for who may create organizations, a `jsonSetting`; absent if every user with a token may. */
  organizationCreators: "ORGANIZATION_CREATORS",
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the value of an environment variable.
 *
 * @throws Error with the name of the variable if it is missing or empty: a misconfigured function must not start.
 */
export const required = (name: string, environment: Environment = process.env): string => {
  const value = environment[name];
  if (value === undefined || value === "") throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

/** Reads a positive number from an environment variable. @throws Error if it is missing or not a positive number. */
export const requiredNumber = (name: string, environment: Environment = process.env): number => {
  const value = Number(required(name, environment));
  if (!Number.isFinite(value) || value <= 0)
    throw new Error(`The environment variable ${name} is not a positive number.`);
  return value;
};

/** Reads a number, 0 or more, from an environment variable; returns `fallback` if it is not set. @throws Error if it is not such a number. */
export const numberOr = <Fallback extends number | null>(
  name: string,
  fallback: Fallback,
  environment: Environment = process.env,
): number | Fallback => {
  const text = environment[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || value < 0)
    throw new Error(`The environment variable ${name} is not a number.`);
  return value;
};

/** Reads the ids of the mappings of stream workers, by worker. @throws Error if they are not set. */
export const streamMappings = (environment: Environment = process.env): Readonly<Record<string, string>> =>
  Object.fromEntries(
    required(variables.streamMappings, environment)
      .split(" ")
      .map((each) => {
        const [worker = "", id = ""] = each.split("=", 2);
        return [worker, id];
      }),
  );

/** Reads the retention of traces in days; 0 means unlimited. @throws Error if it is not set or not a whole number. */
export const retentionDays = (environment: Environment = process.env): number => {
  const days = Number(required(variables.retentionDays, environment));
  if (!Number.isInteger(days) || days < 0)
    throw new Error(`The environment variable ${variables.retentionDays} is not a number of days.`);
  return days;
};

/** Reads the bounds of the start of a trace. @throws Error if a bound is malformed. */
export const traceStarts = (environment: Environment = process.env): StartBounds => {
  const { traceStartsFrom, traceStartsAheadHours } = variables;
  const [date, hours] = [environment[traceStartsFrom], environment[traceStartsAheadHours]];
  const from = date === undefined ? defaultStartBounds.from : parseInstant(date);
  if (from === null) throw new Error(`The environment variable ${traceStartsFrom} is not a date.`);
  const aheadHours =
    hours === undefined ? defaultStartBounds.aheadHours : requiredNumber(traceStartsAheadHours, environment);
  return { from, aheadHours };
};

/** Reads the default service tier of runs. @throws Error if the variable names an unknown tier. */
export const environmentTier = (): ServiceTier =>
  parse(optional(picklist(serviceTiers), "standard"), process.env[variables.judgeTier]);
