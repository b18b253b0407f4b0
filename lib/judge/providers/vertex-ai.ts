import { strictDialect } from "./dialect.ts";
import { readServiceAccount } from "./google-service-account.ts";
import { googleTokens } from "./google-tokens.ts";
import { openAiProtocol } from "./openai-protocol.ts";
import { firstFailure, postJson, replyOf, urlBelow } from "./post-json.ts";
import type { Connector, Embedding } from "./provider.ts";
import { embeddingOf } from "./provider-reply.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";

/** Returns the model name for Vertex AI's OpenAI-compatible endpoint, `google/<model>`. */
const modelName = (model: string): string => (model.includes("/") ? model : `google/${model}`);

/** Reads the embedding of one text from a `:predict` reply. */
const readPrediction = (reply: unknown): { readonly vector: unknown; readonly tokens: number } => {
  const { embeddings } = fieldsOf(listOf(fieldsOf(reply)["predictions"])[0]);
  const { values, statistics } = fieldsOf(embeddings);
  return { vector: values, tokens: countOf(fieldsOf(statistics)["token_count"]) };
};

/**
 * Connects to Gemini models of a Google Cloud project, authenticated by a service account's key. The base URL is that of a
 * location, `https://europe-west1-aiplatform.googleapis.com/v1/projects/<project>/locations/europe-west1`; by default the
 * global location.
 *
 * @throws Error when the key was not checked to be a service account's.
 */
export const vertexAi: Connector = ({ key = "", baseUrl }, { now, dialect }) => {
  const account = readServiceAccount(key);
  if (account === null) throw new Error("The settings of vertex_ai were not checked.");
  const location = baseUrl ?? `https://aiplatform.googleapis.com/v1/projects/${account.project_id}/locations/global`;
  const token = googleTokens(account, now);
  const headers = async () => ({ authorization: `Bearer ${await token()}` });
  const { complete, sampling } = openAiProtocol(
    {
      baseUrl: urlBelow(location, "endpoints/openapi").href,
      key: null,
      headers,
      modelName,
      dialect: { ...strictDialect, ...dialect },
    },
    now,
  );
  return {
    complete,
    sampling,
    // Embedding models such as gemini-embedding-001 accept one text per call.
    embed:
      (model) =>
      async ({ texts, timeout }): Promise<Embedding> => {
        const replies = await Promise.all(
          texts.map((content) =>
            postJson(
              {
                url: urlBelow(location, `publishers/google/models/${encodeURIComponent(model)}:predict`),
                body: JSON.stringify({ instances: [{ content }] }),
                headers,
                timeout,
              },
              now,
            ),
          ),
        );
        const failure = firstFailure(replies);
        if (failure !== undefined) return failure;
        const parts = replies.map((result) => readPrediction(replyOf(result)));
        const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
        return embeddingOf(
          parts.map(({ vector }) => vector),
          texts.length,
          tokens,
        );
      },
  };
};
