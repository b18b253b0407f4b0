import type { Instant } from "../domain/instant.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { Span } from "../domain/traces/trace.ts";
import type { ExportedSpan } from "./attributes/exported-span.ts";
import type { Reader } from "./attributes/reader.ts";

/** Readers of one field in a convention, the preferred one first. */
export type Readers<Value> = readonly Reader<Value>[];

/** The readers of one attribute convention for the fields of a span. A field is absent if the convention has no attribute for it. */
export interface Convention {
  /** Name of the product that sends its attributes, for conventions whose attribute names do not tell it. */
  readonly product?: string;
  /**
   * True if a span can have attributes of this convention; other conventions are skipped, since most spans use one or two.
   *
   * @param namespaces first parts of the names of the span's attributes, such as `gen_ai` or `llm`.
   */
  readonly applies: (namespaces: ReadonlySet<string>, span: ExportedSpan) => boolean;
  readonly kind?: Readers<Span["kind"]>;
  readonly model?: Readers<string>;
  /** Host of the model, where several hosts serve it (`modelHost`). */
  readonly modelHost?: Readers<string>;
  readonly input?: Readers<Json>;
  readonly output?: Readers<Json>;
  /** System instructions that are not part of the conversation. */
  readonly system?: Readers<Json>;
  readonly parameters?: Readers<JsonObject>;
  /** Token counts by the keys of a stored span: `prompt_tokens`, `completion_tokens`, `cache_read_tokens`. */
  readonly usage?: Readers<JsonObject>;
  /** Cost in US dollars: `total`, `prompt`, `completion`. */
  readonly cost?: Readers<JsonObject>;
  /** Name of the called tool. */
  readonly toolName?: Readers<string>;
  /** Name of the agent. */
  readonly agentName?: Readers<string>;
  /** Name of the chain or chain step. */
  readonly chainName?: Readers<string>;
  /** Name of a span of any kind, for spans whose own name is a message template. */
  readonly label?: Readers<string>;
  readonly session?: Readers<string>;
  readonly user?: Readers<string>;
  /** True for a span that the SDK marks as the first of its trace that it sends: its parent never arrives. */
  readonly isRoot?: Readers<true>;
  /** Fields of the trace that the program set on purpose: they win over those of the root span. */
  readonly traceName?: Readers<string>;
  readonly traceInput?: Readers<Json>;
  readonly traceOutput?: Readers<Json>;
  readonly environment?: Readers<string>;
  readonly release?: Readers<string>;
  /** Name and version of the prompt of a prompt library that the span used. */
  readonly promptName?: Readers<string>;
  readonly promptVersion?: Readers<string>;
  /** Experiment, item and dataset for which the trace ran. */
  readonly experiment?: Readers<string>;
  readonly experimentId?: Readers<string>;
  readonly experimentItem?: Readers<string>;
  readonly dataset?: Readers<string>;
  readonly tags?: Readers<readonly string[]>;
  /** Milliseconds from the start to the first token. */
  readonly firstToken?: Readers<number>;
  readonly firstTokenAt?: Readers<Instant>;
  /** Error message of a span without exception events. */
  readonly failure?: Readers<string>;
  /** True for a failed span of an SDK that leaves the status unset. */
  readonly isFailure?: Readers<true>;
  /** True for a span whose status OK the SDK sets without knowing how it ended. */
  readonly isOkUnfounded?: (span: ExportedSpan) => boolean;
  /** True if the SDK sets the status OK on a span that failed and reports the failure as an exception event only. */
  readonly isExceptionFailure?: true;
  /** Id of the tool or model call, by which log events of other spans refer to it. */
  readonly callId?: Readers<string>;
  /** Metadata set by the traced program. That of the root span is also metadata of the trace. */
  readonly metadata?: Readers<JsonObject>;
  /** Metadata of the span that is also metadata of its trace, whichever span has it. */
  readonly traceMetadata?: Readers<JsonObject>;
  /**
   * Attributes with internal data of the framework or duplicates, which are irrelevant to the agent's work. A name that ends
   * with a dot is a prefix.
   */
  readonly bookkeeping?: readonly string[];
}

/** Returns a predicate for `applies` that is true for spans with an attribute in one of the namespaces. */
export const inNamespace =
  (...names: readonly string[]): Convention["applies"] =>
  (namespaces) =>
    names.some((name) => namespaces.has(name));
