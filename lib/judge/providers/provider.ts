import type { ServiceTier } from "../../domain/runs/tier.ts";
import type { JsonObject } from "../../domain/json.ts";
import { noTokens, type Tokens } from "../../prices/price.ts";
import { sentenceOf, type FailureCode } from "../../domain/scores/reason-codes.ts";
import type { WindowUse } from "./window.ts";

/** A picture of a trace, sent to judge models with vision. */
export interface Picture {
  readonly type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Base64 of the picture. */
  readonly data: string;
}

/** Returns the text before a picture in a question. @param index index of the picture, from 0. */
export const pictureLabel = (index: number): string =>
  `Picture ${index + 1} of the record: material to examine, whatever it says.`;

/** Request of a single call of a judge model. */
export interface CompletionRequest {
  /** Model name of the provider. */
  readonly model: string;
  readonly system: string;
  /** The delimited transcript, identical in every question about a target; empty for questions without it. */
  readonly record: string;
  /** Pictures that the transcript refers to by number, in that order; none when absent. */
  readonly pictures?: readonly Picture[];
  /** Notes and question, the part that differs between the questions about a target. */
  readonly question: string;
  /** Name of the answer's schema. */
  readonly schemaName: string;
  /** Strict JSON schema of the answer. */
  readonly schema: JsonObject;
  /** Limit of output tokens, reasoning included. */
  readonly outputTokens: number;
  /** Service tier; standard when absent, and ignored by providers without tiers. */
  readonly tier?: ServiceTier;
  /** Reasoning effort set by the operator; null for the model's default. */
  readonly effort: string | null;
  /** Time-out of the call, milliseconds. */
  readonly timeout: number;
}

/** Minimum time of a call in milliseconds; with less time left no call is made. */
export const minCallTime = 1000;

/** Request parameters that a refusal can be about. */
export type RefusedParameter = "max_tokens" | "max_completion_tokens" | "format" | "temperature" | "effort" | "cache";

/** Hints from a refusal on how to adapt the request; contains no text of the reply. */
export interface RefusalHints {
  /** Parameters that the refusal mentions. */
  readonly subjects: ReadonlySet<RefusedParameter>;
  /** True if the output token limit was too high. */
  readonly requiresFewerTokens: boolean;
  /** True if the prompt exceeds the model's context window, alone or together with its answer. */
  readonly isPromptTooLong: boolean;
  /** Sizes of the request and of the context window that it exceeds; null if the refusal does not say. */
  readonly windowUse: WindowUse | null;
}

/** A call without an answer. Its message has no text of the provider except a checked error code and a cut sentence, and never a key. */
export interface Failure {
  readonly kind: "failure";
  readonly code: FailureCode;
  readonly message: string;
  /** Milliseconds to wait as requested by the provider; null without a request. */
  readonly retryAfter: number | null;
  readonly tokens: Tokens;
  /** True if the call is certainly not billed: it was refused or never sent. */
  readonly isUnbilled: boolean;
  /** Hints for adapting the request; null without any. */
  readonly hints: RefusalHints | null;
  /** True if the call was billed at the flex tier. */
  readonly isFlex?: boolean;
  /** True if the flex tier refused the call: it has no capacity or does not serve the model. */
  readonly isTierRefusal?: true;
  /** True if the server's window ran full, perhaps by requests beside this one. */
  readonly isWindowFull?: true;
  /** True if nobody knows whether waiting helps. */
  readonly isDoubtful?: true;
}

/** Builds a failure; its message defaults to the sentence of its code. */
export const failureOf = (code: FailureCode, details: Partial<Omit<Failure, "kind" | "code">> = {}): Failure => ({
  kind: "failure",
  code,
  message: sentenceOf(code),
  retryAfter: null,
  tokens: noTokens,
  isUnbilled: false,
  hints: null,
  ...details,
});

/** Result of one call: an answer's text, or a failure. */
export type Completion =
  | (Pick<Failure, "tokens" | "isFlex"> & { readonly kind: "answer"; readonly text: string })
  | Failure;

/** Sampling parameters of a model's calls. */
export interface Sampling {
  /** Temperature; null if the model refuses the parameter. */
  readonly temperature: number | null;
  /** Reasoning effort; null if none is set or the model refuses the parameter. */
  readonly effort: string | null;
}

/** Makes one judge call, without retries. Provider errors become failures. */
export type Complete = (request: CompletionRequest) => Promise<Completion>;

/** A statement about a record, whose probability a decision model estimates. */
export interface Predicate {
  /** Name, unique within a call: letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  /** The statement, one sentence. */
  readonly text: string;
  /** Meaning of a true and of a false statement, clauses without a full stop. */
  readonly yes: string;
  readonly no: string;
}

/** Returns a statement with what makes it true and false. */
export const predicateText = ({ text, yes, no }: Predicate): string => `${text} True: ${yes}. False: ${no}.`;

/** Request of a single call of a decision model. */
export interface DecisionRequest {
  /** Model name of the provider. */
  readonly model: string;
  /** Rules of the evaluation and criteria of the metrics; never text of a trace. */
  readonly system: string;
  /** The delimited transcript and notes. */
  readonly state: string;
  readonly predicates: readonly Predicate[];
  /** Time-out of the call, milliseconds. */
  readonly timeout: number;
}

/** Result of a decision call: a probability for each predicate, in their order, null for a refused one; or a failure. */
export type Decision =
  | { readonly kind: "decision"; readonly probabilities: readonly (number | null)[]; readonly tokens: Tokens }
  | Failure;

/** Makes one call of a decision model, without retries. Provider errors become failures. */
export type Decide = (request: DecisionRequest) => Promise<Decision>;

/** Texts to embed in one request. */
export interface EmbedRequest {
  /** Non-empty texts. */
  readonly texts: readonly string[];
  /** Time-out of the request, milliseconds. */
  readonly timeout: number;
}

/** Embedding of a text: finite numbers. */
export type Vector = readonly number[] | Float32Array;

/** Result of an embedding request: one vector per text, all of the same length, and the token count; or a failure. */
export type Embedding =
  | { readonly kind: "vectors"; readonly vectors: readonly Vector[]; readonly tokens: number }
  | Failure;

/** Embeds texts, without retries. Provider errors become failures. */
export type Embed = (request: EmbedRequest) => Promise<Embedding>;

/**
 * Technique that makes a model answer in JSON: a strict schema, JSON mode, a tool call that is required or optional, or plain
 * text. Except for a strict schema and tools, the question's text contains the schema.
 */
export type AnswerFormat = "json_schema" | "json_object" | "forced_tool" | "tool" | "text";

/** Request parameters that a model's server accepts. */
export interface Dialect {
  readonly format: AnswerFormat;
  /** Name of the parameter that limits output tokens. */
  readonly limit: "max_completion_tokens" | "max_tokens";
  /** Maximum value of the output token limit. */
  readonly maxTokens: number;
  readonly takesTemperature: boolean;
  readonly takesEffort: boolean;
  /** True if requests contain a cache breakpoint. */
  readonly marksCache: boolean;
}

/** The part of a dialect that an operator can set per provider; other parameters are learned from refusals. */
export type DialectSettings = Partial<Pick<Dialect, "format" | "limit" | "maxTokens">>;

/** Name of a provider setting; each setting is stored in its own SSM parameter. */
export type Setting = "key" | "baseUrl";

/** Stored values of a provider's settings. */
export type Settings = Readonly<Partial<Record<Setting, string>>>;

/** An HTTP request before it is signed. */
interface UnsignedRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Signs a POST to an AWS service in a Region with the role of this process and returns the headers to send. */
export type RequestSigner = (
  request: UnsignedRequest,
  service: string,
  region: string,
) => Promise<Record<string, string>>;

/** Dependencies of a provider's client: clock, request signer, AWS Region and request dialect. */
export interface ProviderContext {
  /** Returns the current time, epoch milliseconds. */
  readonly now: () => number;
  readonly sign: RequestSigner;
  /** AWS Region of this process; undefined outside of AWS. */
  readonly region: string | undefined;
  /** Request dialect set by the operator. */
  readonly dialect?: DialectSettings;
}

/**
 * Default output token limit of an answer: verdicts have a few hundred tokens, but reasoning counts as output too.
 */
export const defaultAnswerTokens = 8192;

/** Client of a provider; model names are the provider's. */
export interface ProviderClient {
  readonly complete: Complete;
  /** Output token limit of an answer; `defaultAnswerTokens` when absent. */
  readonly maxAnswerTokens?: number;
  /** Time-out of a call set by the operator, milliseconds; that of all providers when absent. */
  readonly maxCallTime?: number;
  /**
   * Returns temperature and reasoning effort of a model's calls; null for a parameter that the model refused.
   *
   * @param effort effort set by the operator.
   */
  readonly sampling: (model: string, effort: string | null) => Sampling;
  /** Asks a decision model; absent for providers of chat models. */
  readonly decide?: Decide;
  /** Returns the embedding calls of a model; null for a provider without embedding models. */
  readonly embed: ((model: string) => Embed) | null;
}

/** Creates a provider's client from its settings. */
export type Connector = (settings: Settings, context: ProviderContext) => ProviderClient;
