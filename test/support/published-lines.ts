import { vi } from "vitest";

/** A line of the log out of which CloudWatch makes data points. */
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

/** What a line says of its metrics. */
export const directiveOf = ({ _aws: directive }: PublishedLine): PublishedLine["_aws"] => directive;

const isPublished = (line: unknown): line is PublishedLine =>
  typeof line === "object" && line !== null && "_aws" in line;

/** What of a log publishes metrics: lines that are JSON and have the embedded metric format's member. */
export const publishedIn = (texts: readonly string[]): readonly PublishedLine[] =>
  texts
    .filter((text) => text.startsWith("{"))
    .map((text): unknown => JSON.parse(text))
    .filter(isPublished);

/**
 * Runs something and reads what it publishes from its output.
 *
 * @param work is told what was published before.
 * @returns the result as a promise that has settled: a failure is the test's to look at.
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
