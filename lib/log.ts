type Field = string | number | boolean | readonly string[] | undefined;

export type Fields = Readonly<Record<string, Field>>;

/** The member `_aws` of CloudWatch's embedded metric format: which members of a line are data points, and of which metrics. */
export interface MetricDirective {
  /** Epoch milliseconds. */
  readonly Timestamp: number;
  readonly CloudWatchMetrics: readonly {
    readonly Namespace: string;
    /** Names of the members that hold the dimensions' values. */
    readonly Dimensions: readonly (readonly string[])[];
    readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
  }[];
}

/** What a log says of an error: its name and where it rose, not its message, which may quote data. */
export const faultFields = (error: unknown): Record<string, Field> =>
  error instanceof Error
    ? {
        fault: error.name,
        at: (error.stack ?? "")
          .split("\n")
          .filter((line) => /^\s+at /.test(line))
          .slice(0, 8),
      }
    : { fault: typeof error };

/** Where Lambda writes JSON itself, `console.log` puts a line into an object of its own, and no metric would be made of it. */
const write = (line: string): void => {
  if (process.env["AWS_LAMBDA_LOG_FORMAT"] === "JSON") process.stdout.write(`${line}\n`);
  else console.log(line);
};

/** Writes one JSON line. Never a body, a prompt, a header or a key. @param metrics for `publishMetrics` alone. */
export const logLine = (event: string, fields: Fields, metrics?: MetricDirective): void => {
  write(JSON.stringify({ event, ...fields, _aws: metrics }));
};
