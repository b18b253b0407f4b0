import { tiers } from "../../lib/domain/runs/tier.ts";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Node } from "constructs";
import * as v from "valibot";
import { parseInstant } from "../../lib/domain/instant.ts";
import { nearestName } from "../../lib/domain/nearest-name.ts";
import { faultsBetween } from "./faults-between.ts";
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
import { recoverySetting, tableClassSetting } from "./table-settings.ts";
import { restoredTablesSetting, type RestoredTables } from "./restored-tables.ts";
import { jwtSetting, organizationCreatorsSetting } from "./sign-in-settings.ts";
import { arn, wholeNumber, written, yesOrNo } from "./values.ts";

/** API Gateway puts the stage's name in front of every path: one named like a version would look like part of the API. */
const stage = v.pipe(
  v.string("must be text"),
  v.regex(/^[a-z][a-z0-9-]{0,19}$/u, "must be 1 to 20 lower-case letters, digits and hyphens, a letter first"),
  v.check((name) => !/^v\d/u.test(name), "must not be named like a version"),
);

/** Targets that a list may name where nothing else is said. */
const usualTargetsPerBatch = 10_000;

const entries = {
  /** Name of this deployment, and the first segment of its URL. */
  stage: v.optional(stage, "dev"),
  /** Whose bearer tokens are accepted; API keys only when absent. */
  jwt: v.exactOptional(written(jwtSetting)),
  /** Judge of a run that names no model, `<provider>/<model>`. */
  judgeModel: v.optional(modelSetting, "openai/gpt-5.4-mini"),
  /** Of runs that name none. */
  judgeTier: v.optional(v.picklist(tiers, `must be one of ${tiers.join(", ")}`), "standard"),
  /** Model of coherence and loop_detection, `<provider>/<model>`; they do not apply when absent. */
  embeddingModel: v.exactOptional(modelSetting),
  /** Names of the SSM parameters (SecureString) by provider, in place of the defaults. Their values are the operator's to store. */
  providers: v.exactOptional(written(providersSetting)),
  /** The operator's own prices by `<provider>/<model>`, US dollars per million tokens. */
  prices: v.optional(written(pricesSetting), {}),
  /** The operator's own prices of the models of traces, US dollars per million tokens. */
  tracePrices: v.optional(written(tracePricesSetting), []),
  /** How much models are to think before they answer, by `<provider>/<model>`; as they do by themselves where nothing is set. */
  efforts: v.exactOptional(written(effortsSetting)),
  /** What models of providers take in a request; learned from their refusals where nothing is set. */
  dialects: v.exactOptional(written(dialectsSetting)),
  /** How much of a trace judges are shown; the default where nothing is set. */
  transcripts: v.exactOptional(written(transcriptsSetting)),
  /** What all judging of a calendar month (UTC) may cost, and that of each project; none when absent. */
  monthlyCostCeilingUsd: v.exactOptional(written(ceilingSetting)),
  projectMonthlyCostCeilingUsd: v.exactOptional(written(ceilingSetting)),
  organizationMonthlyCostCeilingUsd: v.exactOptional(written(ceilingSetting)),
  /** Judge workers at a time; 2 is the least an SQS mapping takes. */
  judgeMaxConcurrency: v.optional(wholeNumber(2, 1000), 5),
  /** Judge calls at a time in one worker. */
  judgeCallsPerWorker: v.optional(wholeNumber(1, 20), 20),
  /** Days a trace is kept after its arrival; 0 keeps it. */
  retentionDays: v.optional(wholeNumber(0, 3650), 0),
  /** The first day on which traces may start that are sent; 2000-01-01 when absent. */
  traceStartsFrom: v.exactOptional(
    v.pipe(
      v.string("must be a date such as 2000-01-01"),
      v.check((date) => date.length === 10 && parseInstant(date) !== null, "must be a date such as 2000-01-01"),
    ),
  ),
  /** Hours ahead of our clock in which they may start; 24 when absent. */
  traceStartsAheadHours: v.exactOptional(wholeNumber(1, 87_600)),
  /** Requests per minute and client by route id, in place of the contract's limits or where it has none. */
  limits: v.optional(written(v.record(v.string(), wholeNumber(1, 1_000_000), "must be an object")), {}),
  /** Factor on every rate limit. */
  limitFactor: v.optional(
    written(
      v.pipe(
        v.number("must be a number above 0, at most 1000"),
        v.gtValue(0, "must be a number above 0, at most 1000"),
        v.maxValue(1000, "must be a number above 0, at most 1000"),
      ),
    ),
    1,
  ),
  /** Factor on a client's limits that gives an organization's ceilings, but for the five of the interface; 0: there are none. */
  organizationLimitFactor: v.optional(wholeNumber(0, 1000), 10),
  /** Requests per minute and organization by route id, in place of what the factor gives, for those five too. */
  organizationLimits: v.optional(written(v.record(v.string(), wholeNumber(1, 100_000_000), "must be an object")), {}),
  /** Read units of DynamoDB that lists and analytics may take per minute and client; 100,000 when absent, 0: as many as they like. */
  readUnitsPerMinute: v.exactOptional(wholeNumber(0, 1_000_000_000)),
  /** Requests a second that each route takes of all clients together, twice as many at once; more are 429 before the authorizer. */
  requestsPerSecond: v.optional(wholeNumber(1, 10_000), 1_000),
  /** Requests a minute that one address may send, kept by a web ACL; no web ACL when absent. */
  requestsPerAddress: v.exactOptional(wholeNumber(10, 2_000_000_000)),
  /** Places that the account keeps for the authorizer, and all that it gets; none are kept when absent: a new account has none to keep. */
  authorizerConcurrency: v.exactOptional(wholeNumber(1, 10_000)),
  /** Protects the tables from deletion; false while a stage is made for the first time or taken down. */
  tableProtection: v.optional(yesOrNo, true),
  /** Whether a table can be restored to a second of its last 35 days; all but `limits` where nothing is said. */
  pointInTimeRecovery: v.optional(written(recoverySetting), {}),
  /** How a table is stored; all are `STANDARD` where nothing is said. */
  tableClass: v.optional(written(tableClassSetting), {}),
  /** A customer's key for what the tables hold; DynamoDB's own when absent. */
  tablesKeyArn: v.exactOptional(keySetting),
  /** A customer's key that the SSM parameters of the providers are encrypted with; AWS's own when absent. */
  parametersKeyArn: v.exactOptional(keySetting),
  /** From where the API is reached. */
  endpointType: v.optional(endpointTypeSetting, "regional"),
  /** The VPC endpoints of a private API. */
  vpcEndpointIds: v.exactOptional(written(vpcEndpointsSetting)),
  /** From where the API may be called; from anywhere when absent. */
  allowedAddresses: v.exactOptional(written(allowedAddressesSetting)),
  /** Origins whose pages may call the API from a browser. */
  allowedOrigins: v.optional(written(allowedOriginsSetting), []),
  /** A domain of the operator's own in front of the API. */
  domain: v.exactOptional(written(domainSetting)),
  /** Whether the address that AWS gave the API answers beside the domain. */
  defaultAddress: v.optional(yesOrNo, true),
  /** Where the judges run; in no VPC when absent. */
  judgeNetwork: v.exactOptional(written(judgeNetworkSetting)),
  /** What an account may ask of every role. */
  rolePath: v.exactOptional(rolePathSetting),
  roleNamePrefix: v.exactOptional(rolePrefixSetting),
  permissionsBoundary: v.exactOptional(boundarySetting),
  /** Notes in the audit who deleted which traces, sessions, runs and monitors: a write unit for each call. */
  auditDeletions: v.optional(yesOrNo, true),
  /** Tags of everything that is made, gateway keys of clients too. */
  tags: v.optional(written(tagsSetting), {}),
  /** Where invitations are announced; on the account's default bus when absent. */
  eventBus: v.exactOptional(eventBusSetting),
  /** Tables that are used in place of the stack's own, by stage and table; `restore.md` says when and how. */
  restoredTables: v.optional(written(restoredTablesSetting), {}),
  maxTargetsPerRun: v.optional(wholeNumber(1, 100_000), 100_000),
  /** Targets that a list may name; 10,000 when absent, and never more than a run may have. */
  maxTargetsPerBatch: v.exactOptional(wholeNumber(1, 100_000)),
  /** Monitors of one project: as many runs may begin in one minute, where each fires every minute. */
  maxMonitorsPerProject: v.optional(wholeNumber(1, 10_000), 100),
  /** Metrics of a project's own. */
  maxMetricsPerProject: v.optional(wholeNumber(1, 1000), 100),
  maxProjectsPerOrganization: v.optional(wholeNumber(1, 10_000_000), 100_000),
  /** Organizations that a user may own when they make another one; 0: nobody makes any, not by signing in either. */
  maxOwnedOrganizations: v.optional(wholeNumber(0, 10_000), 2),
  /** Who may make organizations, by signing in too: whoever one of these holds for; everybody with a token when absent. */
  organizationCreators: v.exactOptional(written(organizationCreatorsSetting)),
  /** Where alarms go; alarms are only shown when absent. */
  alarmEmail: v.exactOptional(v.pipe(v.string("must be an e-mail address"), v.email("must be an e-mail address"))),
  /** A topic that is there already, by which `cloudwatch.amazonaws.com` may publish. */
  alarmTopicArn: v.exactOptional(arn("sns", /[\w-]+/u, "a topic")),
  /** The alarms that are made, as `infra/README.md` names them; all that the next setting asks for when absent. */
  alarms: v.exactOptional(
    written(v.array(v.string("must be the name of an alarm"), "must be a list of alarms' names")),
  ),
  /**
   * Also watches errors of workers, throttles of functions and tables, the account's concurrency, refused callers, issuers and providers
   * that are away, spend near a ceiling, sums that were wrong, failed items of batches and the Scheduler. 57 alarm metrics: $5.70 a
   * month.
   */
  moreAlarms: v.optional(yesOrNo, false),
  /** Also makes the account-wide role through which API Gateway writes access logs, or makes the account use this one, and switches them on. */
  gatewayLogRole: v.optional(gatewayLogRoleSetting, false),
  /** Writes access logs by the role that the account's APIs have; with `gatewayLogRole` they are written anyway. */
  accessLogs: v.optional(yesOrNo, false),
  /** Days the functions' logs are kept; only the numbers CloudWatch knows. */
  logRetentionDays: v.optional(
    written(v.enum(RetentionDays, "must be a number of days that CloudWatch Logs can keep, such as 7, 30, 90 or 365")),
    RetentionDays.ONE_MONTH,
  ),
};

const schema = v.object(entries);

/** What an operator may choose for a deployment. */
export type Settings = Omit<v.InferOutput<typeof schema>, "providers" | "restoredTables" | "maxTargetsPerBatch"> & {
  readonly providers: Providers;
  /** Those of this stage. */
  readonly restoredTables: RestoredTables;
  readonly maxTargetsPerBatch: number;
  /** What was chosen, by name, as it was understood; what stands at its default because nobody spoke of it is not here. */
  readonly chosen: Readonly<Record<string, unknown>>;
};

/** Context keys of CDK's own: most hold a colon, a slash or an @, these do not. */
const toolkitKeys: ReadonlySet<string> = new Set(["cli-telemetry", "acknowledged-issue-numbers"]);

const isOurs = (key: string): boolean => !/[:/@]/u.test(key) && !toolkitKeys.has(key);

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(entries);

const unknownSetting = (key: string): string => {
  const meant = nearestName(key, settingNames);
  const name = /^\w+$/u.test(key) ? key : JSON.stringify(key);
  return `There is no setting ${name}${meant === null ? "." : `; did you mean ${meant}?`}`;
};

const sentence = (issue: v.BaseIssue<unknown>): string =>
  `The setting ${v.getDotPath(issue) ?? ""} ${issue.message}; it is ${JSON.stringify(issue.input) ?? "absent"}.`;

/** Tables by their names. */
const named = (tables: RestoredTables): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, table?.tableName]));

const refuse = (faults: readonly string[]): void => {
  if (faults.length > 0) throw new Error(faults.join("\n"));
};

/** Where settings come from beside the context. */
export interface SettingsSources {
  /** What the stage's file says, by name. */
  readonly file?: Readonly<Record<string, unknown>>;
  /** Whether the stack is for this machine and not to be deployed: then the stage is `local`, and no other's name is. */
  readonly runsHere?: boolean;
}

/**
 * Reads the settings: what the stage's file says, and over it the app's context (`cdk -c name=value`, `cdk.json`).
 *
 * @throws Error with one sentence for each setting that is unknown, out of range, or does not go with another.
 */
export const readSettings = (node: Node, { file = {}, runsHere = false }: SettingsSources = {}): Settings => {
  const context: Readonly<Record<string, unknown>> = node.getAllContext();
  const given = { ...file, ...Object.fromEntries(Object.entries(context).filter(([key]) => isOurs(key))) };
  const names = Object.keys(given);
  const unknown = names.filter((key) => !Object.hasOwn(entries, key));
  const parsed = v.safeParse(schema, given);
  const faults = [...unknown.map(unknownSetting), ...(parsed.issues ?? []).map(sentence)];
  refuse(faults);
  if (!parsed.success) throw new Error("The settings cannot be read.");
  const { providers, restoredTables, maxTargetsPerBatch, ...settings } = parsed.output;
  const restored = restoredTables[settings.stage] ?? {};
  const chosen: Readonly<Record<string, unknown>> = { ...parsed.output, restoredTables: named(restored) };
  // The stage names the stack; tables of other stages are not this one's.
  const isChosen = (name: string): boolean =>
    name !== "stage" && (name !== "restoredTables" || Object.keys(restored).length > 0);
  const read: Settings = {
    ...settings,
    providers: { ...defaultProviders(settings.stage), ...providers },
    restoredTables: restored,
    maxTargetsPerBatch: maxTargetsPerBatch ?? Math.min(usualTargetsPerBatch, settings.maxTargetsPerRun),
    chosen: Object.fromEntries(names.filter(isChosen).map((name) => [name, chosen[name]])),
  };
  refuse(faultsBetween(read, runsHere));
  return read;
};
