import { logContext } from "./log-context.ts";

type Field = string | number | boolean | readonly string[] | undefined;

export type LogFields = Readonly<Record<string, Field>>;

/** Member `_aws` of CloudWatch's embedded metric format: names the members of a log line that are data points of service metrics. */
export interface MetricDirective {
  /** Time of the data points, epoch milliseconds. */
  readonly Timestamp: number;
  readonly CloudWatchMetrics: readonly {
    readonly Namespace: string;
    /** Names of the log members with the values of the dimensions. */
    readonly Dimensions: readonly (readonly string[])[];
    readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
  }[];
}

/** Code of a system error, such as `EADDRNOTAVAIL`. */
const systemCodePattern = /^E[A-Z0-9_]{2,30}$/;

const systemCode = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" && systemCodePattern.test(error.code) ? error.code : undefined;

/**
 * Returns the log fields of an error: its name, the code of a system error and stack frames, and as JSON those of up to four causes, without
 * messages, which may quote data.
 */
export const faultFields = (error: unknown): Record<string, Field> =>
  error instanceof Error
    ? {
        fault: error.name,
        code: systemCode(error),
        at: (error.stack ?? "")
          .split("\n")
          .filter((line) => /^\s+at /.test(line))
          .slice(0, 8),
        causes:
          error instanceof AggregateError
            ? error.errors.slice(0, 4).map((each) => JSON.stringify(faultFields(each)))
            : undefined,
      }
    : { fault: typeof error };

/** Writes a line to the log. With Lambda's JSON log format, `console.log` would wrap the line, and CloudWatch would extract no metrics. */
const write = (line: string): void => {
  if (process.env["AWS_LAMBDA_LOG_FORMAT"] === "JSON") process.stdout.write(`${line}\n`);
  else console.log(line);
};

/**
 * Writes one JSON line to the log, with the ids of the current log context. Fields must never hold bodies, prompts, headers or keys.
 *
 * @param metrics only for `publishMetrics`.
 */
export const logLine = (event: string, fields: LogFields, metrics?: MetricDirective): void => {
  write(JSON.stringify({ event, ...logContext(), ...fields, _aws: metrics }));
};
