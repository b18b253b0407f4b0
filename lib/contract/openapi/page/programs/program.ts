/** What a program is told by its environment: `otlp` is that of any exporter of OpenTelemetry. */
export type ProgramSettings = "otlp" | "litellm" | "langfuse" | "langsmith" | "phoenix" | "traceloop";

/** A program whose trace was sent and stored, as it was run. */
export interface Program {
  readonly name: string;
  readonly settings: ProgramSettings;
  /** Packages and their versions. */
  readonly ranWith: readonly string[];
  readonly code: string;
}
