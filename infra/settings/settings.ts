import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Node } from "constructs";
import * as v from "valibot";
import { parseInstant } from "../../lib/domain/instant.ts";
import {
  ceilingSetting,
  defaultProviders,
  modelSetting,
  pricesSetting,
  providersSetting,
  type Providers,
} from "./judge-settings.ts";
import { restoredTablesSetting, type RestoredTables } from "./restored-tables.ts";

/** `cdk -c key=value` gives text, `cdk.json` gives JSON: both mean the same. */
const written = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(
    v.unknown(),
    v.transform((given) => {
      if (typeof given !== "string") return given;
      try {
        return JSON.parse(given) as unknown;
      } catch {
        return given;
      }
    }),
    schema,
  );

const wholeNumber = (min: number, max: number) => {
  const wanted = `must be a whole number from ${min} to ${max}`;
  return written(v.pipe(v.number(wanted), v.integer(wanted), v.minValue(min, wanted), v.maxValue(max, wanted)));
};

const nonEmpty = v.pipe(v.string("must be text"), v.nonEmpty("must not be empty"));

/** API Gateway puts the stage's name in front of every path: one named like a version would look like part of the API. */
const stage = v.pipe(
  v.string("must be text"),
  v.regex(/^[a-z][a-z0-9-]{0,19}$/u, "must be 1 to 20 lower-case letters, digits and hyphens, a letter first"),
  v.check((name) => !/^v\d/u.test(name), "must not be named like a version"),
);

/** Keys that arrive over plain HTTP are anybody's; this machine alone is trusted without TLS. */
const isSafe = ({ protocol, hostname }: URL): boolean => protocol === "https:" || hostname === "127.0.0.1";

const jwt = v.strictObject(
  {
    issuer: nonEmpty,
    jwksUri: v.pipe(
      v.string("must be text"),
      v.url("must be a URL"),
      v.check((uri) => isSafe(new URL(uri)), "must be an https URL"),
    ),
    audiences: v.pipe(v.array(nonEmpty, "must be a list"), v.minLength(1, "must name at least one audience")),
    /** Claim that carries the audience; `aud` when absent (some issuers use `client_id`). */
    audienceClaim: v.exactOptional(nonEmpty),
    /** Required value of the claim `token_use`; not looked at when absent. */
    tokenUse: v.exactOptional(nonEmpty),
    /** Claim that carries the user's e-mail address; `email` when absent. */
    emailClaim: v.exactOptional(nonEmpty),
    /** The issuer names no address that it has not verified: `email_verified` is not asked for. */
    emailsVerified: v.exactOptional(v.boolean("must be true or false")),
  },
  (issue) => (issue.expected === "never" ? "is not a setting" : "is missing or not an object"),
);

const entries = {
  /** Name of this deployment, and the first segment of its URL. */
  stage: v.optional(stage, "dev"),
  /** Whose bearer tokens are accepted; API keys only when absent. */
  jwt: v.exactOptional(written(jwt)),
  /** Judge of a run that names no model, `<provider>/<model>`. */
  judgeModel: v.optional(modelSetting, "openai/gpt-5.4-mini"),
  /** Model of coherence and loop_detection, `<provider>/<model>`; they cannot be judged when absent. */
  embeddingModel: v.exactOptional(modelSetting),
  /** Names of the SSM parameters (SecureString) by provider, in place of the defaults. Their values are the operator's to store. */
  providers: v.exactOptional(written(providersSetting)),
  /** The operator's own prices by `<provider>/<model>`, US dollars per million tokens. */
  prices: v.optional(written(pricesSetting), {}),
  /** What all judging of a calendar month (UTC) may cost, and that of each project; none when absent. */
  monthlyCostCeilingUsd: v.exactOptional(written(ceilingSetting)),
  projectMonthlyCostCeilingUsd: v.exactOptional(written(ceilingSetting)),
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
  /** Tables that are used in place of the stack's own, by stage and table; `restore.md` says when and how. */
  restoredTables: v.optional(written(restoredTablesSetting), {}),
  maxTargetsPerRun: v.optional(wholeNumber(1, 100_000), 100_000),
  /** Targets that a list may name. */
  maxTargetsPerBatch: v.optional(wholeNumber(1, 100_000), 10_000),
  maxProjectsPerOrganization: v.optional(wholeNumber(1, 10_000_000), 100_000),
  /** Organizations that a user may own when they make another one. */
  maxOwnedOrganizations: v.optional(wholeNumber(1, 10_000), 2),
  /** Where alarms go; alarms are only shown when absent. */
  alarmEmail: v.exactOptional(v.pipe(v.string("must be an e-mail address"), v.email("must be an e-mail address"))),
  /** A topic that is there already, by which `cloudwatch.amazonaws.com` may publish. */
  alarmTopicArn: v.exactOptional(
    v.pipe(
      v.string("must be the ARN of a topic"),
      v.regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/u, "must be the ARN of a topic"),
    ),
  ),
  /**
   * Also watches errors of workers, throttles of functions and tables, the account's concurrency, refused callers, providers that
   * are away, spend near a ceiling, sums that were wrong, failed items of batches and the Scheduler. 56 alarm metrics: $5.60 a
   * month.
   */
  moreAlarms: v.optional(written(v.boolean("must be true or false")), false),
  /** Also makes the account-wide role through which API Gateway writes access logs, and switches them on. */
  gatewayLogRole: v.optional(written(v.boolean("must be true or false")), false),
  /** Days the functions' logs are kept; only the numbers CloudWatch knows. */
  logRetentionDays: v.optional(
    written(v.enum(RetentionDays, "must be a number of days that CloudWatch Logs can keep, such as 7, 30, 90 or 365")),
    RetentionDays.ONE_MONTH,
  ),
};

const schema = v.object(entries);

/** What an operator may choose for a deployment. */
export type Settings = Omit<v.InferOutput<typeof schema>, "providers" | "restoredTables"> & {
  readonly providers: Providers;
  /** Those of this stage. */
  readonly restoredTables: RestoredTables;
};

/** CDK's own context keys hold a colon, a slash or a hyphen; ours are plain words. */
const isOurs = (key: string): boolean => /^[A-Za-z]+$/u.test(key);

const sentence = (issue: v.BaseIssue<unknown>): string =>
  `The setting ${v.getDotPath(issue) ?? ""} ${issue.message}; it is ${JSON.stringify(issue.input) ?? "absent"}.`;

/**
 * Reads the settings from the app's context (`cdk.json`, `cdk -c name=value`).
 *
 * @throws Error with one sentence for each setting that is unknown or out of range.
 */
export const readSettings = (node: Node): Settings => {
  const context: Readonly<Record<string, unknown>> = node.getAllContext();
  const unknown = Object.keys(context).filter((key) => isOurs(key) && !Object.hasOwn(entries, key));
  const parsed = v.safeParse(schema, context);
  const faults = [...unknown.map((key) => `There is no setting ${key}.`), ...(parsed.issues ?? []).map(sentence)];
  if (faults.length > 0 || !parsed.success) throw new Error(faults.join("\n"));
  const { providers, restoredTables, ...settings } = parsed.output;
  return {
    ...settings,
    providers: { ...defaultProviders(settings.stage), ...providers },
    restoredTables: restoredTables[settings.stage] ?? {},
  };
};
