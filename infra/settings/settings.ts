import { serviceTiers } from "../../lib/domain/runs/tier.ts";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import * as v from "valibot";
import { parseInstant } from "../../lib/domain/instant.ts";
import { nameAdvice } from "../../lib/domain/nearest-name.ts";
import { defaultJudge } from "../../lib/judge/prices/listed-judges.ts";
import { modelsOfServers } from "../../lib/judge/prices/model-rules.ts";
import { settingConflicts, type SettingsScope } from "./setting-conflicts.ts";
import {
  boundarySetting,
  eventBusSetting,
  gatewayLogRoleSetting,
  keySetting,
  rolePathSetting,
  rolePrefixSetting,
  tagsSetting,
} from "./account-settings.ts";
import {
  ceilingSetting,
  defaultProviders,
  dialectsSetting,
  effortsSetting,
  judgeModelsSetting,
  modelSetting,
  pricesSetting,
  providersSetting,
  tracePricesSetting,
  transcriptsSetting,
  type Providers,
} from "./judge-settings.ts";
import {
  allowedAddressesSetting,
  allowedOriginsSetting,
  domainSetting,
  endpointTypeSetting,
  judgeNetworkSetting,
  vpcEndpointsSetting,
} from "./network-settings.ts";
import { notificationsSetting } from "./notification-settings.ts";
import { ingestConcurrencySetting } from "./reserved-concurrency.ts";
import { recoverySetting, tableClassSetting, warmThroughputSetting } from "./table-settings.ts";
import { restoredTablesSetting, type RestoredTables } from "./restored-tables.ts";
import { jwtSetting, organizationCreatorsSetting } from "./sign-in-settings.ts";
import { arn, emailAddress, wholeNumber, jsonOrText, booleanSetting } from "./values.ts";

/** Setting type: name of a stage. API Gateway puts the name before every path, so a name like `v1` would look like an API version. */
const stage = v.pipe(
  v.string("must be text"),
  v.regex(/^[a-z][a-z0-9-]{0,19}$/u, "must be 1 to 20 lower-case letters, digits and hyphens, starting with a letter"),
  v.check((name) => !/^v\d/u.test(name), "must not be named like a version"),
);

/** Default maximum of targets in one list of a request. */
const defaultTargetsPerBatch = 10_000;

const entries = {
  /** Name of this deployment, and the first segment of its URL. */
  stage: v.optional(stage, "dev"),
  /** Issuers whose bearer tokens are accepted; API keys only when absent. */
  jwt: v.exactOptional(jsonOrText(jwtSetting)),
  /** Judge of a run that names no model, `<provider>/<model>`. */
  judgeModel: v.optional(modelSetting, defaultJudge),
  /**
   * Patterns of the judge models that may be asked; `priced` stands for those with a known price. When absent: priced models and those of
   * the operator's own servers. The judge of `judgeModel` always may.
   */
  judgeModels: v.exactOptional(jsonOrText(judgeModelsSetting)),
  /** Price tier of runs that name none. */
  judgeTier: v.optional(v.picklist(serviceTiers, `must be one of ${serviceTiers.join(", ")}`), "standard"),
  /** Embedding model of the metrics coherence and loop_detection, `<provider>/<model>`; they do not apply when absent. */
  embeddingModel: v.exactOptional(modelSetting),
  /** Names of the SSM parameters (SecureString) by provider, instead of the defaults. The operator stores their values. */
  providers: v.exactOptional(jsonOrText(providersSetting)),
  /** The operator's prices of judge models by `<provider>/<model>`, US dollars per million tokens. */
  prices: v.optional(jsonOrText(pricesSetting), {}),
  /** The operator's prices of the models in traces, US dollars per million tokens. */
  tracePrices: v.optional(jsonOrText(tracePricesSetting), []),
  /** Reasoning efforts by `<provider>/<model>`; the model's default where absent. */
  efforts: v.exactOptional(jsonOrText(effortsSetting)),
  /** Request dialects by provider: answer format and output limit; detected from refusals where absent. */
  dialects: v.exactOptional(jsonOrText(dialectsSetting)),
  /** Maximum characters and pictures of a trace in a judge's prompt, and the minimum share of the trace; defaults where absent. */
  transcripts: v.exactOptional(jsonOrText(transcriptsSetting)),
  /** Maximum cost of judging in a calendar month (UTC), in US dollars: of the deployment, of a project, of an organization; no ceiling when absent. */
  monthlyCostCeilingUsd: v.exactOptional(jsonOrText(ceilingSetting)),
  projectMonthlyCostCeilingUsd: v.exactOptional(jsonOrText(ceilingSetting)),
  organizationMonthlyCostCeilingUsd: v.exactOptional(jsonOrText(ceilingSetting)),
  /** Maximum concurrent judge workers; the minimum of an SQS mapping is 2. */
  judgeMaxConcurrency: v.optional(wholeNumber(2, 1000), 5),
  /** Maximum concurrent judge calls in one worker. */
  judgeCallsPerWorker: v.optional(wholeNumber(1, 20), 20),
  /** Maximum previews of an organization a day (UTC) that ask a judge. As many as `judgeMaxConcurrency` run at a time. */
  maxPreviewsPerDay: v.optional(wholeNumber(1, 1_000_000), 500),
  /** Days a trace is kept after its arrival; 0 keeps it forever. */
  retentionDays: v.optional(wholeNumber(0, 3650), 0),
  /** Earliest start date of an accepted trace; 2000-01-01 when absent. */
  traceStartsFrom: v.exactOptional(
    v.pipe(
      v.string("must be a date such as 2000-01-01"),
      v.check((date) => date.length === 10 && parseInstant(date) !== null, "must be a date such as 2000-01-01"),
    ),
  ),
  /** Maximum hours that a trace may start in the future; 24 when absent. */
  traceStartsAheadHours: v.exactOptional(wholeNumber(1, 87_600)),
  /** Requests per minute and client by route id; they replace limits of the contract or add limits. */
  limits: v.optional(jsonOrText(v.record(v.string(), wholeNumber(1, 1_000_000), "must be an object")), {}),
  /** Factor applied to every rate limit. */
  limitFactor: v.optional(
    jsonOrText(
      v.pipe(
        v.number("must be a number from 0.001 to 1000"),
        v.minValue(0.001, "must be a number from 0.001 to 1000"),
        v.maxValue(1000, "must be a number from 0.001 to 1000"),
      ),
    ),
    1,
  ),
  /** Factor from a client's limits to an organization's, except on the five routes whose limits the contract defines; 0: this factor gives no limits. */
  organizationLimitFactor: v.optional(wholeNumber(0, 1000), 10),
  /** Requests per minute and organization by route id, including those five routes; they replace limits from `organizationLimitFactor`. */
  organizationLimits: v.optional(
    jsonOrText(v.record(v.string(), wholeNumber(1, 100_000_000), "must be an object")),
    {},
  ),
  /** DynamoDB read units of lists, analytics, traces and scores per minute and client; 100,000 when absent, 0: unlimited. */
  readUnitsPerMinute: v.exactOptional(wholeNumber(0, 1_000_000_000)),
  /** Requests a second of each route over all clients, burst twice as many; excess requests get 429 before the authorizer. */
  requestsPerSecond: v.optional(wholeNumber(1, 10_000), 1_000),
  /** Maximum requests a minute of one IP address, enforced by a web ACL; no web ACL when absent. */
  requestsPerAddress: v.exactOptional(wholeNumber(10, 2_000_000_000)),
  /** Reserved concurrency of the authorizer, which is also its maximum; none when absent, since a new account has none to reserve. */
  authorizerConcurrency: v.exactOptional(wholeNumber(1, 10_000)),
  /** Reserved concurrency of all functions that take data in, in equal shares, each of which is also a maximum; none when absent. */
  ingestConcurrency: v.exactOptional(ingestConcurrencySetting),
  /** Deletion protection of the tables; false during the first deployment and before a teardown. */
  tableProtection: v.optional(booleanSetting, true),
  /** Point-in-time recovery by table, to any second of the last 35 days; by default all tables but `limits`. */
  pointInTimeRecovery: v.optional(jsonOrText(recoverySetting), {}),
  /** Storage class by table; `STANDARD` where absent. */
  tableClass: v.optional(jsonOrText(tableClassSetting), {}),
  /** Read and write units a second for which a table is prepared before a load, by table. AWS charges for an increase once and never lowers it. */
  warmThroughput: v.optional(jsonOrText(warmThroughputSetting), {}),
  /** ARN of the KMS key that encrypts the tables; DynamoDB's own key when absent. */
  tablesKeyArn: v.exactOptional(keySetting),
  /** ARN of the KMS key of the providers' SSM parameters; AWS's own key when absent. */
  parametersKeyArn: v.exactOptional(keySetting),
  /** Reachability of the API: `regional` or `private`. */
  endpointType: v.optional(endpointTypeSetting, "regional"),
  /** Ids of the VPC endpoints that reach a private API. */
  vpcEndpointIds: v.exactOptional(jsonOrText(vpcEndpointsSetting)),
  /** IP addresses and blocks that may call the API; all when absent. */
  allowedAddresses: v.exactOptional(jsonOrText(allowedAddressesSetting)),
  /** Origins whose pages may call the API from a browser. */
  allowedOrigins: v.optional(jsonOrText(allowedOriginsSetting), []),
  /** Custom domain of the API, with its certificate. */
  domain: v.exactOptional(jsonOrText(domainSetting)),
  /** False to disable the API's address at AWS, so that only the custom domain answers. */
  defaultAddress: v.optional(booleanSetting, true),
  /** VPC subnets and security groups of judges; no VPC when absent. */
  judgeNetwork: v.exactOptional(jsonOrText(judgeNetworkSetting)),
  /** Path, name prefix and permissions boundary of every role, for accounts that require them. */
  rolePath: v.exactOptional(rolePathSetting),
  roleNamePrefix: v.exactOptional(rolePrefixSetting),
  permissionsBoundary: v.exactOptional(boundarySetting),
  /** Records deletions of traces, sessions, runs and monitors in the audit log: one write unit for each call. */
  auditDeletions: v.optional(booleanSetting, true),
  /** Tags of all resources, including gateway keys that are created at run time. */
  tags: v.optional(jsonOrText(tagsSetting), {}),
  /** Name or ARN of the event bus for events; the account's default bus when absent. */
  eventBus: v.exactOptional(eventBusSetting),
  /** E-mail addresses and webhooks that are told of events, by name; nobody when absent. */
  notifications: v.exactOptional(jsonOrText(notificationsSetting)),
  /** ARNs of restored tables that replace the stack's own, by stage and table; see `restore.md`. */
  restoredTables: v.optional(jsonOrText(restoredTablesSetting), {}),
  maxTargetsPerRun: v.optional(wholeNumber(1, 100_000), 100_000),
  /** Maximum targets in one list of a request; 10,000 when absent, never more than `maxTargetsPerRun`. */
  maxTargetsPerBatch: v.exactOptional(wholeNumber(1, 100_000)),
  /** Maximum monitors of a project; if each fires every minute, as many runs start in a minute. */
  maxMonitorsPerProject: v.optional(wholeNumber(1, 10_000), 100),
  /** Maximum custom metrics of a project. */
  maxMetricsPerProject: v.optional(wholeNumber(1, 1000), 100),
  maxProjectsPerOrganization: v.optional(wholeNumber(1, 10_000_000), 100_000),
  /** Maximum organizations that a user may own; 0: users cannot create organizations, and sign-in creates none. */
  maxOwnedOrganizations: v.optional(wholeNumber(0, 10_000), 2),
  /** Users who may create organizations, also by sign-in: those who match one of the rules; every user when absent. */
  organizationCreators: v.exactOptional(jsonOrText(organizationCreatorsSetting)),
  /** E-mail address that alarms notify; without it alarms only appear in CloudWatch. */
  alarmEmail: v.exactOptional(emailAddress),
  /** ARN of an existing SNS topic that alarms notify; its policy must allow `cloudwatch.amazonaws.com` to publish. */
  alarmTopicArn: v.exactOptional(arn("sns", /[\w-]+/u, "a topic")),
  /** Names of the alarms to create, from `infra/runbook.md`; when absent, the default alarms and those of `moreAlarms`. */
  alarms: v.exactOptional(
    jsonOrText(v.array(v.string("must be the name of an alarm"), "must be a list of alarms' names")),
  ),
  /**
   * Also creates alarms for worker errors, throttles of functions and tables, the account's concurrency, refused callers,
   * unavailable issuers and providers, spend near a ceiling, wrong totals, failed items of batches and the Scheduler. 57 alarm
   * metrics: $5.50 a month.
   */
  moreAlarms: v.optional(booleanSetting, false),
  /** Enables access logs and creates the account-wide role by which API Gateway writes them (true), or sets an existing role (ARN). */
  gatewayLogRole: v.optional(gatewayLogRoleSetting, false),
  /** Enables access logs with the existing role of the account; `gatewayLogRole` enables them as well. */
  accessLogs: v.optional(booleanSetting, false),
  /** Days that logs are kept; one of CloudWatch's values. */
  logRetentionDays: v.optional(
    jsonOrText(
      v.enum(RetentionDays, "must be a number of days that CloudWatch Logs can keep, such as 7, 30, 90 or 365"),
    ),
    RetentionDays.ONE_MONTH,
  ),
};

const schema = v.object(entries);

/** Validated settings of a deployment, with defaults applied. */
export type Settings = Omit<
  v.InferOutput<typeof schema>,
  "providers" | "restoredTables" | "maxTargetsPerBatch" | "judgeModels"
> & {
  readonly judgeModels: readonly string[];
  readonly providers: Providers;
  /** Restored tables of this stage. */
  readonly restoredTables: RestoredTables;
  readonly maxTargetsPerBatch: number;
  /** Parsed settings that the file or the command line contains, by name; without those that have their default by omission. */
  readonly explicitSettings: Readonly<Record<string, unknown>>;
};

/** CDK's own context keys that contain no colon, slash or @, unlike its other keys. */
const toolkitKeys: ReadonlySet<string> = new Set(["cli-telemetry", "acknowledged-issue-numbers"]);

const isServiceSetting = (key: string): boolean => !/[:/@]/u.test(key) && !toolkitKeys.has(key);

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(entries);

const unknownSetting = (key: string): string =>
  `There is no setting ${/^\w+$/u.test(key) ? key : JSON.stringify(key)}${nameAdvice(key, settingNames)}`;

/** Settings in whose place somebody may have written a secret: their values are never printed, unlike their unknown names. */
const mayBeSecret = /^(?:providers|notifications\.[^.]+\.webhook)(?:\.|$)/u;

const sentence = (issue: v.BaseIssue<unknown>): string => {
  const path = v.getDotPath(issue) ?? "";
  if (issue.input === undefined) return `The setting ${path} is missing.`;
  const isHidden = mayBeSecret.test(path) && issue.path?.at(-1)?.origin !== "key";
  // JSON has no number as large as 1e400, which is read as infinite.
  const value = typeof issue.input === "number" ? String(issue.input) : JSON.stringify(issue.input);
  return `The setting ${path} ${issue.message}${isHidden ? "" : `; it is ${value}`}.`;
};

/** Returns the deployed names of restored tables, by table. */
const tableNamesOf = (tables: RestoredTables): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, table?.tableName]));

const throwFaults = (faults: readonly string[]): void => {
  if (faults.length > 0) throw new Error(faults.join("\n"));
};

/**
 * Parses settings by name, the stage among them.
 *
 * @throws Error with one sentence for each setting that is unknown, invalid, or in conflict with another.
 */
export const parseSettings = (input: Readonly<Record<string, unknown>>, scope: SettingsScope = {}): Settings => {
  const names = Object.keys(input);
  const unknown = names.filter((key) => !Object.hasOwn(entries, key));
  const parsed = v.safeParse(schema, input);
  const faults = [...unknown.map(unknownSetting), ...(parsed.issues ?? []).map(sentence)];
  throwFaults(faults);
  if (!parsed.success) throw new Error("The settings cannot be read.");
  const { providers, restoredTables, maxTargetsPerBatch, judgeModels, ...settings } = parsed.output;
  const stageTables = restoredTables[settings.stage] ?? {};
  const parsedValues: Readonly<Record<string, unknown>> = {
    ...parsed.output,
    restoredTables: tableNamesOf(stageTables),
  };
  // The stage is part of the stack's name; restored tables of other stages are not settings of this one.
  const isExplicit = (name: string): boolean =>
    name !== "stage" && (name !== "restoredTables" || Object.keys(stageTables).length > 0);
  const result: Settings = {
    ...settings,
    providers: { ...defaultProviders(settings.stage), ...providers },
    restoredTables: stageTables,
    judgeModels: judgeModels ?? modelsOfServers(providers?.openai?.baseUrl !== undefined),
    maxTargetsPerBatch: maxTargetsPerBatch ?? Math.min(defaultTargetsPerBatch, settings.maxTargetsPerRun),
    explicitSettings: Object.fromEntries(names.filter(isExplicit).map((name) => [name, parsedValues[name]])),
  };
  throwFaults(settingConflicts(result, scope));
  return result;
};

/** Sources of settings in addition to the CDK context. */
export interface SettingsSources extends SettingsScope {
  /** Settings of the stage's file, by name. */
  readonly file?: Readonly<Record<string, unknown>>;
}

/**
 * Reads the settings of the stage's file and of the CDK context (`cdk -c name=value`, `cdk.json`), which overrides the file.
 *
 * @param context values by name, such as `app.node.getAllContext()`; those that are no setting of the service are ignored
 * @throws Error as `parseSettings` does.
 */
export const readSettings = (
  context: Readonly<Record<string, unknown>>,
  { file = {}, ...scope }: SettingsSources = {},
): Settings => {
  const contextSettings = Object.fromEntries(Object.entries(context).filter(([key]) => isServiceSetting(key)));
  return parseSettings({ ...file, ...contextSettings }, scope);
};
