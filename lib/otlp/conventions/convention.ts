import type { Json, JsonObject } from "../../domain/json.ts";
import type { Span } from "../../domain/traces/trace.ts";
import type { Reader } from "../reader.ts";

/** The ways in which a convention tells one thing, the best first. */
export type Ways<Value> = readonly Reader<Value>[];

/** What a convention can tell of a span. What is absent the convention has no attribute for. */
export interface Convention {
  readonly kind?: Ways<Span["kind"]>;
  readonly model?: Ways<string>;
  readonly input?: Ways<Json>;
  readonly output?: Ways<Json>;
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
  readonly session?: Ways<string>;
  readonly user?: Ways<string>;
  readonly tags?: Ways<Json>;
  /** Milliseconds from the start to the first token. */
  readonly firstToken?: Ways<number>;
  /** What the program itself noted. */
  readonly metadata?: Ways<JsonObject>;
  /**
   * Attributes that measure a span or say again what it is, and nothing about what the agent did; a name that ends in a dot
   * is the beginning of some.
   */
  readonly bookkeeping?: readonly string[];
}
