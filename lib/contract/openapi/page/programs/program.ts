/** Kind of environment variables that a program reads; `otlp` are those of any OpenTelemetry exporter. */
export type ProgramSettings =
  | "otlp"
  | "litellm"
  | "claude"
  | "mlflow"
  | "langfuse"
  | "langsmith"
  | "braintrust"
  | "phoenix"
  | "traceloop";

/** A sample program that sends a trace, tested with the listed package versions. */
export interface Program {
  /** Last segment of the page's URL. */
  readonly topic: string;
  readonly name: string;
  readonly settings: ProgramSettings;
  /** Packages and their versions. */
  readonly ranWith: readonly string[];
  readonly code: string;
  /** Call that sends what is queued, for functions that end or freeze after their reply. */
  readonly flush: string;
  /** Sentences on what the program's packages need or do not send, besides those of the settings. */
  readonly notes?: string;
}
