/** Kind of environment variables that a program reads; `otlp` are those of any OpenTelemetry exporter. */
export type ProgramSettings = "otlp" | "litellm" | "langfuse" | "langsmith" | "phoenix" | "traceloop";

/** A sample program that sends a trace, tested with the listed package versions. */
export interface Program {
  readonly name: string;
  readonly settings: ProgramSettings;
  /** Packages and their versions. */
  readonly ranWith: readonly string[];
  readonly code: string;
}
