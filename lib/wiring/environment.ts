import { parseInstant } from "../domain/instant.ts";
import { defaultStarts, type StartBounds } from "../domain/traces/starts.ts";
import { stageVariable } from "../published-metrics.ts";

/** Names of the environment variables that infrastructure sets and functions read. */
export const variables = {
  stage: stageVariable,
  version: "SERVICE_VERSION",
  /** Queue of slices to judge (URL). */
  judgeQueueUrl: "JUDGE_QUEUE_URL",
  /** Judge model when a run names none, `<provider>/<model>`. */
  judgeModel: "JUDGE_MODEL",
  /** Tier of runs that name none. */
  judgeTier: "JUDGE_TIER",
  /** Judge calls at a time in one worker. */
  judgeCalls: "JUDGE_CALLS_PER_WORKER",
  /** SSM parameter names by provider, JSON: `{"openai": {"key": "/assay/prod/openai/key", "baseUrl": "..."}}`. */
  judgeProviders: "JUDGE_PROVIDERS",
  /** The operator's own prices, a `jsonSetting` by `<provider>/<model>` in US dollars per million tokens; absent when there are none. */
  judgePrices: "JUDGE_PRICES",
  /** The operator's own prices of the models of traces, a `jsonSetting`; absent when there are none. */
  tracePrices: "TRACE_PRICES",
  /** How much of a trace judges are shown, a `jsonSetting`; absent where the defaults hold. */
  judgeTranscripts: "JUDGE_TRANSCRIPTS",
  /** How much models are to think before they answer, a `jsonSetting` by `<provider>/<model>`; absent where nothing is set. */
  judgeEfforts: "JUDGE_EFFORTS",
  /** What models of providers take, a `jsonSetting` by provider; absent where nothing is set. */
  judgeDialects: "JUDGE_DIALECTS",
  /** US dollars that all judging of a calendar month may cost, and that of each project; absent when there is no ceiling. */
  monthlyCostCeiling: "MONTHLY_COST_CEILING_USD",
  projectMonthlyCostCeiling: "PROJECT_MONTHLY_COST_CEILING_USD",
  organizationMonthlyCostCeiling: "ORGANIZATION_MONTHLY_COST_CEILING_USD",
  /** The embedding model of coherence and loop_detection, `<provider>/<model>`, or absent when none was chosen. */
  embeddingModel: "EMBEDDING_MODEL",
  /** The JWT settings, a `jsonSetting`; absent when bearer tokens are not accepted. */
  jwt: "JWT_SETTINGS",
  /** Issuers by which people sign in at the console, a `jsonSetting`: what the page may know of them. */
  consoleIssuers: "CONSOLE_ISSUERS",
  /** Value of the stack's shared API Gateway key, for the usage plan: it throttles, it opens nothing. */
  sharedUsageKey: "SHARED_USAGE_KEY",
  /** The event bus that invitations are announced on, its name or ARN; the account's default one when absent. */
  eventBus: "EVENT_BUS",
  /** Whether deletions of traces, sessions, runs and monitors are noted in the audit: `true`, or absent. */
  auditDeletions: "AUDIT_DELETIONS",
  /** Tags of the gateway keys that are made, JSON; none when absent. */
  gatewayKeyTags: "GATEWAY_KEY_TAGS",
  /** Days a trace is kept after its arrival; 0 keeps it forever. */
  retentionDays: "RETENTION_DAYS",
  /** The operator's own bounds of when traces may start: a date, and hours ahead of our clock; ours when absent. */
  traceStartsFrom: "TRACE_STARTS_FROM",
  traceStartsAheadHours: "TRACE_STARTS_AHEAD_HOURS",
  /** The operator's own limit of this route, in requests per minute and client; the contract's when absent. */
  limitPerMinute: "LIMIT_PER_MINUTE",
  /** Factor on every rate limit; 1 is the contract. */
  limitFactor: "LIMIT_FACTOR",
  /** Origins whose pages may read replies, a `jsonSetting`; none when absent. */
  allowedOrigins: "ALLOWED_ORIGINS",
  /** Requests a second that the gateway lets through to this route, of all clients together. */
  requestsPerSecond: "REQUESTS_PER_SECOND",
  /** Factor on a client's limit for an organization's ceiling, 0 for none; the usual one when absent. */
  organizationLimitFactor: "ORGANIZATION_LIMIT_FACTOR",
  /** The operator's own ceiling of this route, in requests per minute and organization. */
  organizationLimit: "ORGANIZATION_LIMIT",
  /** Read units of lists and analytics, per minute and client; 0 for no bound, the usual ones when absent. */
  readUnits: "READ_UNITS_PER_MINUTE",
  maxTargetsPerRun: "MAX_TARGETS_PER_RUN",
  maxTargetsPerBatch: "MAX_TARGETS_PER_BATCH",
  /** Group of the schedules of monitors (name). */
  scheduleGroup: "SCHEDULE_GROUP",
  /** Role by which schedules send their firings (ARN). */
  scheduleRole: "SCHEDULE_ROLE",
  /** Queue of firings (ARN), for schedules to send to. */
  firingQueueArn: "FIRING_QUEUE_ARN",
  /** Where the Scheduler puts firings it cannot send (ARN of a queue). */
  firingDeadLettersArn: "FIRING_DEAD_LETTERS_ARN",
  /** Queue of firings (URL), for the sweeper to send to. */
  firingQueueUrl: "FIRING_QUEUE_URL",
  /** The function that makes the project which a key names first (name). */
  projectMaker: "PROJECT_MAKER",
  maxProjects: "MAX_PROJECTS_PER_ORGANIZATION",
  maxMonitors: "MAX_MONITORS_PER_PROJECT",
  maxCustomMetrics: "MAX_METRICS_PER_PROJECT",
  /** Organizations that a user may own when they make another one. */
  maxOwnedOrganizations: "MAX_OWNED_ORGANIZATIONS",
  /** Who may make organizations, a `jsonSetting`; everybody with a token when absent. */
  organizationCreators: "ORGANIZATION_CREATORS",
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The value of an environment variable.
 *
 * @throws Error naming the variable when it is missing or empty: a function that is configured wrong must not start.
 */
export const required = (name: string, environment: Environment = process.env): string => {
  const value = environment[name];
  if (value === undefined || value === "") throw new Error(`The environment variable ${name} is not set.`);
  return value;
};

/** A whole, positive number from the environment. @throws Error when it is missing or anything else. */
export const requiredNumber = (name: string, environment: Environment = process.env): number => {
  const value = Number(required(name, environment));
  if (!Number.isFinite(value) || value <= 0)
    throw new Error(`The environment variable ${name} is not a positive number.`);
  return value;
};

/** A number from the environment, 0 at least; another one where there is none. @throws Error when it is anything else. */
export const numberOr = <Otherwise extends number | null>(
  name: string,
  otherwise: Otherwise,
  environment: Environment = process.env,
): number | Otherwise => {
  const given = environment[name];
  if (given === undefined) return otherwise;
  const value = Number(given);
  if (given === "" || !Number.isFinite(value) || value < 0)
    throw new Error(`The environment variable ${name} is not a number.`);
  return value;
};

/** Days a trace is kept after its arrival; 0 keeps it. @throws Error when it is not set. */
export const retentionDays = (environment: Environment = process.env): number => {
  const days = Number(required(variables.retentionDays, environment));
  if (!Number.isInteger(days) || days < 0)
    throw new Error(`The environment variable ${variables.retentionDays} is not a number of days.`);
  return days;
};

/** When traces may start that are sent. @throws Error when the operator's own bounds are none. */
export const traceStarts = (environment: Environment = process.env): StartBounds => {
  const { traceStartsFrom, traceStartsAheadHours } = variables;
  const [date, hours] = [environment[traceStartsFrom], environment[traceStartsAheadHours]];
  const from = date === undefined ? defaultStarts.from : parseInstant(date);
  if (from === null) throw new Error(`The environment variable ${traceStartsFrom} is not a date.`);
  const aheadHours =
    hours === undefined ? defaultStarts.aheadHours : requiredNumber(traceStartsAheadHours, environment);
  return { from, aheadHours };
};
