import type { FailureCode } from "../verdict/verdict.ts";

/** Several texts for one call. */
export interface EmbedRequest {
  /** None is empty. */
  readonly texts: readonly string[];
  /** Milliseconds after which the call is given up. */
  readonly timeout: number;
}

/** What a call came to. `message` is in our own words, like a completion's. */
export type Embedding =
  /** A vector for each text, in order, all of one length; `tokens` as the provider counted them. */
  | { readonly kind: "vectors"; readonly vectors: readonly Vector[]; readonly tokens: number }
  | {
      readonly kind: "failure";
      readonly code: FailureCode;
      readonly message: string;
      /** Milliseconds the provider asked to wait, when it did. */
      readonly retryAfter: number | null;
    };

/** A text's place in the model's space; finite numbers. */
export type Vector = readonly number[] | Float32Array;

/** Makes one call, without any retry. Never rejects for what a provider does. */
export type Embed = (request: EmbedRequest) => Promise<Embedding>;

/** An embedding model that can be called, or what to configure first. */
export type EmbedConnection =
  | {
      readonly ready: true;
      /** `<provider>/<model>`. */
      readonly model: string;
      readonly embed: Embed;
    }
  | { readonly ready: false; readonly message: string };

/** Finds the way to the embedding model of this deployment. Rejects when the settings could not be read at all. */
export type ConnectEmbed = () => Promise<EmbedConnection>;
