import { createPrivateKey, sign } from "node:crypto";
import { CallError, failureOfReply, unsentFailure } from "./call-failure.ts";
import { readServiceAccount, type ServiceAccount } from "./google-service-account.ts";
import { openAiProtocol } from "./openai.ts";
import type { Connector, Embedding } from "./provider.ts";
import { noTokens } from "../../prices/price.ts";
import { countOf, embeddingOf, fieldsOf, elementsOf, parseJson } from "./reply.ts";
import { boundedPost, firstFailure, postJson, replyOf, urlBelow } from "./transport.ts";

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Lifetime of the signed claim in seconds, Google's maximum. */
const lifetime = 3600;
/** Milliseconds before its expiry at which a token is replaced, so that it outlives calls in progress. */
const renewalMargin = 120_000;
const requestTimeout = 10_000;

const encodeJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signs the claim that Google exchanges for an access token (RFC 7523). */
const signAssertion = (account: ServiceAccount, at: number): string => {
  const issued = Math.floor(at / 1000);
  const head = encodeJson({ alg: "RS256", typ: "JWT", kid: account.private_key_id });
  const claims = encodeJson({
    iss: account.client_email,
    scope,
    aud: account.token_uri,
    iat: issued,
    exp: issued + lifetime,
  });
  const signature = sign("RSA-SHA256", Buffer.from(`${head}.${claims}`), createPrivateKey(account.private_key));
  return `${head}.${claims}.${signature.toString("base64url")}`;
};

const requestToken = async (account: ServiceAccount, now: () => number): Promise<{ token: string; until: number }> => {
  const at = now();
  const body = new URLSearchParams({ grant_type: grant, assertion: signAssertion(account, at) });
  let response: Awaited<ReturnType<typeof boundedPost>>;
  try {
    response = await boundedPost({
      url: new URL(account.token_uri),
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: body.toString(),
      signal: AbortSignal.timeout(requestTimeout),
    });
  } catch {
    throw new CallError(unsentFailure);
  }
  const reply = fieldsOf(parseJson(response.text));
  const { access_token: token, expires_in: seconds } = reply;
  if (response.status === 200 && typeof token === "string" && /^[\u0021-\u007e]+$/u.test(token))
    return { token, until: at + countOf(seconds) * 1000 - renewalMargin };
  // Google answers 400 (`invalid_grant`) to a deleted key: it is a wrong credential, not a bad request.
  const status = response.status >= 500 || response.status === 429 ? response.status : 401;
  const failure = failureOfReply(status, response.headers, reply, now()) ?? unsentFailure;
  throw new CallError({ ...failure, isUnbilled: true });
};

/** Returns a function that gets a service account's access token, requesting a new one shortly before the old one expires. */
const googleTokens = (account: ServiceAccount, now: () => number): (() => Promise<string>) => {
  let current: Promise<{ token: string; until: number }> | null = null;
  let until = 0;
  return async () => {
    if (current === null || now() >= until) {
      until = Number.POSITIVE_INFINITY;
      current = requestToken(account, now);
      current.then(
        (token) => (until = token.until),
        () => (current = null),
      );
    }
    return (await current).token;
  };
};

/** Returns the model name for Vertex AI's OpenAI-compatible endpoint, `google/<model>`. */
const modelName = (model: string): string => (model.includes("/") ? model : `google/${model}`);

/** Reads the embedding of one text from a `:predict` reply. */
const readPrediction = (reply: unknown): { readonly vector: unknown; readonly tokens: number } => {
  const { embeddings } = fieldsOf(elementsOf(fieldsOf(reply)["predictions"])[0]);
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
      dialect,
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
                signal: AbortSignal.timeout(timeout),
                tokensOf: () => noTokens,
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
