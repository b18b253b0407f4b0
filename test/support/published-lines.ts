import { vi } from "vitest";

/** A log line from which CloudWatch extracts metric data points. */
export interface PublishedLine extends Readonly<Record<string, unknown>> {
  readonly event: string;
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
}

/** The metric directive of a log line in the embedded metric format. */
export const directiveOf = ({ _aws: directive }: PublishedLine): PublishedLine["_aws"] => directive;

const isPublished = (line: unknown): line is PublishedLine =>
  typeof line === "object" && line !== null && "_aws" in line;

/** Log lines that publish metrics: JSON with the member of the embedded metric format. */
export const publishedIn = (texts: readonly string[]): readonly PublishedLine[] =>
  texts
    .filter((text) => text.startsWith("{"))
    .map((text): unknown => JSON.parse(text))
    .filter(isPublished);

/**
 * Runs work and parses the metric lines from its output.
 * @param work receives the lines published before.
 * @returns the result as a settled promise, so that the test can assert a failure.
 */
export const publishedLines = async <Result>(
  work: (soFar: () => readonly PublishedLine[]) => Promise<Result>,
): Promise<{ readonly lines: readonly PublishedLine[]; readonly result: Promise<Result> }> => {
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((text: unknown) => void printed.push(String(text)));
  try {
    const result = work(() => publishedIn(printed));
    await result.catch(() => undefined);
    return { lines: publishedIn(printed), result };
  } finally {
    log.mockRestore();
  }
};
