import type { Instant } from "../../domain/instant.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { Span } from "../../domain/traces/trace.ts";
import type { ExportedSpan } from "../exported-span.ts";
import type { Reader } from "../reader.ts";

/** The ways in which a convention tells one thing, the best first. */
export type Ways<Value> = readonly Reader<Value>[];

/** What a convention can tell of a span. What is absent the convention has no attribute for. */
export interface Convention {
  /**
   * Whether a span may be told in it at all, given the first parts of its attributes' names (`gen_ai`, `llm`): most spans have
   * one or two conventions, and are not asked for the others.
   */
  readonly applies: (namespaces: ReadonlySet<string>, span: ExportedSpan) => boolean;
  readonly kind?: Ways<Span["kind"]>;
  readonly model?: Ways<string>;
  readonly input?: Ways<Json>;
  readonly output?: Ways<Json>;
  /** What the model is told beside the conversation. */
  readonly system?: Ways<Json>;
  readonly parameters?: Ways<JsonObject>;
  /** Keys are ours: `prompt_tokens`, `completion_tokens`, and others beside them. */
  readonly usage?: Ways<JsonObject>;
  /** Dollars. */
  readonly cost?: Ways<JsonObject>;
  /** The tool that was called. */
  readonly toolName?: Ways<string>;
  /** The agent that ran. */
  readonly agentName?: Ways<string>;
  /** The chain or one of its steps. */
  readonly chainName?: Ways<string>;
  /** What any span is called where its own name is a template. */
  readonly label?: Ways<string>;
  readonly session?: Ways<string>;
  readonly user?: Ways<string>;
  readonly traceName?: Ways<string>;
  readonly environment?: Ways<string>;
  readonly release?: Ways<string>;
  readonly tags?: Ways<Json>;
  /** Milliseconds from the start to the first token. */
  readonly firstToken?: Ways<number>;
  readonly firstTokenAt?: Ways<Instant>;
  /** What went wrong, in words, where a span tells of no exception. */
  readonly failure?: Ways<string>;
  /** What the program itself noted. */
  readonly metadata?: Ways<JsonObject>;
  /**
   * Attributes that measure a span or say again what it is, and nothing about what the agent did; a name that ends in a dot
   * is the beginning of some.
   */
  readonly bookkeeping?: readonly string[];
}

/** A convention whose attributes begin with one of some names. */
export const inNamespace =
  (...names: readonly string[]): Convention["applies"] =>
  (namespaces) =>
    names.some((name) => namespaces.has(name));
