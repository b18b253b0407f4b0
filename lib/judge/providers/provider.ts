import type { Tier } from "../../domain/runs/tier.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { GivenDialect } from "./dialect.ts";
import type { Lesson } from "./refusal.ts";
import { sentenceOf, type FailureCode } from "../../domain/scores/reason-codes.ts";

/**
 * Tokens as the provider counted them, one meaning for all of them: `cached` are those of `prompt` that it took from its
 * cache, `written` those that it put there, which some bill higher than others.
 */
export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly written: number;
}

/** The count of a call of which nothing was counted. */
export const noTokens: Tokens = { prompt: 0, completion: 0, cached: 0, written: 0 };

/** The sum of two counts. */
export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  prompt: a.prompt + b.prompt,
  completion: a.completion + b.completion,
  cached: a.cached + b.cached,
  written: a.written + b.written,
});

/** A picture of a trace, as it is sent to a judge that sees. */
export interface Picture {
  readonly type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Base64. */
  readonly data: string;
}

/** What stands before a picture in a question. @param index from 0. */
export const pictureLabel = (index: number): string =>
  `Picture ${index + 1} of the record: material to examine, whatever it says.`;

/** One question to a model. */
export interface CompletionRequest {
  /** As the provider calls it. */
  readonly model: string;
  readonly system: string;
  /** The delimited transcript, the same in every question about a target; empty when the question does without it. */
  readonly record: string;
  /** Pictures of the transcript, by their numbers there; none when absent. */
  readonly pictures?: readonly Picture[];
  /** Notes and question: what is not the same. */
  readonly question: string;
  /** Name and strict JSON schema of the answer. */
  readonly schemaName: string;
  readonly schema: JsonObject;
  /** Output tokens that the answer may have, those of thinking included. */
  readonly outputTokens: number;
  /** The standard one when absent; a provider that sells no other takes it for that. */
  readonly tier?: Tier;
  /** How much the model is to think, as the operator has set it; null: as it does by itself. */
  readonly effort: string | null;
  /** Milliseconds after which the call is given up. */
  readonly timeout: number;
}

/** A call with less time than this (milliseconds) is not worth making. */
export const shortestCall = 1000;

/** A call without an answer. `message` is in our own words: no key, nothing the provider wrote but a checked error code. */
export interface Failure {
  readonly kind: "failure";
  readonly code: FailureCode;
  readonly message: string;
  /** Milliseconds the provider asked to wait, when it did. */
  readonly retryAfter: number | null;
  readonly tokens: Tokens;
  /** Whether nobody bills it for certain: it was refused, or never sent. */
  readonly free: boolean;
  /** What can be learned of it; null: nothing. */
  readonly lesson: Lesson | null;
  /** Whether it was billed at the price of the flex tier. */
  readonly flex?: boolean;
  /** The tier refused it: it has no room, or does not have the model. */
  readonly atTier?: true;
}

/** A failed call in the words of its code, where it has none of its own. */
export const failed = (code: FailureCode, more: Partial<Omit<Failure, "kind" | "code">> = {}): Failure => ({
  kind: "failure",
  code,
  message: sentenceOf(code),
  retryAfter: null,
  tokens: noTokens,
  free: false,
  lesson: null,
  ...more,
});

/** What one call came to. */
export type Completion =
  | (Pick<Failure, "tokens" | "flex"> & { readonly kind: "answer"; readonly text: string })
  | Failure;

/** How a model is asked, beside the question. */
export interface Sampling {
  /** Null where the model does not take one. */
  readonly temperature: number | null;
  /** How much it is to think before it answers; null where nothing is set, or the model does not take it. */
  readonly effort: string | null;
}

/** Makes one call, without any retry. Never rejects for what a provider does. */
export type Complete = (request: CompletionRequest) => Promise<Completion>;

/** Several texts to embed in one call. */
export interface EmbedRequest {
  /** None is empty. */
  readonly texts: readonly string[];
  /** Milliseconds after which the call is given up. */
  readonly timeout: number;
}

/** A text's place in the model's space; finite numbers. */
export type Vector = readonly number[] | Float32Array;

/** What a call came to: a vector for each text, in order, all of one length; `tokens` as the provider counted them. */
export type Embedding =
  | { readonly kind: "vectors"; readonly vectors: readonly Vector[]; readonly tokens: number }
  | Failure;

/** Makes one call, without any retry. Never rejects for what a provider does. */
export type Embed = (request: EmbedRequest) => Promise<Embedding>;

/** What can be stored for a provider; each is an SSM parameter of its own. */
export type Setting = "key" | "baseUrl";

/** Values of a provider's settings, as stored. */
export type Settings = Readonly<Partial<Record<Setting, string>>>;

/** A request before it is signed; `url` is where it goes. */
interface Unsigned {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Signs a POST with the role that this process runs under, for AWS's service of this name in a Region: the headers to send. */
export type Sign = (request: Unsigned, service: string, region: string) => Promise<Record<string, string>>;

/** What a provider's client takes from its surroundings. */
export interface Surroundings {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sign: Sign;
  /** The Region this process runs in; undefined outside of AWS. */
  readonly region: string | undefined;
  /** What the provider's models take, as the operator says. */
  readonly dialect?: GivenDialect;
}

/**
 * Output tokens that an answer may have as long as nothing asks for fewer: a verdict is a few hundred, but models that think
 * before they answer count that as output too.
 */
export const fullAnswer = 8192;

/** A provider's client: its models are named as the provider does. */
export interface ProviderClient {
  readonly complete: Complete;
  /** Output tokens of its models' full answers; `fullAnswer` when absent. */
  readonly fullAnswer?: number;
  /** How a model is asked, as far as its refusals have taught it. @param effort as the operator has set it. */
  readonly sampling: (model: string, effort: string | null) => Sampling;
  /** The way to an embedding model; null where the provider has none. */
  readonly embed: ((model: string) => Embed) | null;
}

/** Makes a provider's client. */
export type Connector = (settings: Settings, surroundings: Surroundings) => ProviderClient;
