type Field = string | number | boolean | readonly string[] | undefined;

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

/** Writes one JSON line. Never a body, a prompt, a header or a key. */
export const logLine = (event: string, fields: Readonly<Record<string, Field>>): void => {
  console.log(JSON.stringify({ event, ...fields }));
};
