import type { Pace } from "../question/ask.ts";
import { noTokens } from "../providers/completion.ts";
import type { ConnectEmbed, EmbedConnection, Embedding, Vector } from "../providers/embed.ts";
import type { EmbeddingCache } from "./embedding-cache.ts";
import { shortestCall, waitBeforeRetry } from "../question/retry.ts";
import type { Expense } from "../verdict/score-metadata.ts";
import type { FailureCode } from "../verdict/verdict.ts";

/** What embedding some texts came to; `model` is null when none is configured. */
export type EmbeddedTexts = { readonly model: string | null; readonly expense: Expense } & (
  | { readonly kind: "vectors"; readonly vectors: readonly Vector[] }
  | {
      readonly kind: "failed";
      readonly code: FailureCode;
      readonly message: string;
      readonly retryAfter: number | null;
    }
);

const nothing: Expense = { attempts: 0, tokens: noTokens, latency: 0 };

const malformed = {
  kind: "failure",
  code: "judge_malformed",
  message: "The embedding model's reply does not have a vector for each text.",
  retryAfter: null,
} as const;

const isUsable = (vectors: readonly Vector[], texts: number): boolean =>
  vectors.length === texts &&
  vectors.every((vector) => vector.length > 0 && vector.length === vectors[0]?.length && vector.every(Number.isFinite));

const checked = (reply: Embedding, texts: number): Embedding =>
  reply.kind === "vectors" && !isUsable(reply.vectors, texts) ? malformed : reply;

/** Embeds texts in one call, those left out that are remembered; once more when the failure may pass at once. */
export const embedTexts = async (
  connect: ConnectEmbed,
  cache: EmbeddingCache,
  texts: readonly string[],
  deadline: number,
  pace: Pace,
): Promise<EmbeddedTexts> => {
  const failed = (
    model: string | null,
    code: FailureCode,
    message: string,
    retryAfter: number | null,
    expense = nothing,
  ) => ({ kind: "failed", model, code, message, retryAfter, expense }) as const;
  let connection: EmbedConnection;
  try {
    connection = await connect();
  } catch {
    return failed(null, "judge_unavailable", "The settings of the embedding model could not be read.", null);
  }
  if (!connection.ready) return failed(null, "judge_auth", connection.message, null);
  const { model, embed } = connection;
  const found = new Map(texts.map((text) => [text, cache.get(model, text)]));
  const missing = [...found.keys()].filter((text) => found.get(text) === undefined);
  const started = pace.now();
  let spent = nothing;
  while (missing.length > 0) {
    const left = deadline - pace.now();
    if (left < shortestCall) {
      return failed(model, "judge_unavailable", "There was no time left to ask the embedding model.", null, spent);
    }
    const timeout = Math.min(pace.longestCall, left);
    const reply = checked(await embed({ texts: missing, timeout }), missing.length);
    const tokens = { ...spent.tokens, prompt: spent.tokens.prompt + (reply.kind === "vectors" ? reply.tokens : 0) };
    spent = { attempts: spent.attempts + 1, tokens, latency: pace.now() - started };
    if (reply.kind === "vectors") {
      for (const [index, text] of missing.entries()) {
        const vector = reply.vectors[index] ?? [];
        found.set(text, vector);
        cache.put(model, text, vector);
      }
      break;
    }
    const { code, message, retryAfter } = reply;
    const wait =
      spent.attempts > 1 ? null : waitBeforeRetry({ code, retryAfter }, deadline - pace.now(), pace.random());
    if (wait === null) return failed(model, code, message, retryAfter, spent);
    await pace.sleep(wait);
  }
  return { kind: "vectors", model, vectors: texts.map((text) => found.get(text) ?? []), expense: spent };
};
