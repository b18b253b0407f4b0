import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { array, object, optional, parse, record, string, unknown, type InferOutput } from "valibot";
import type { RuleAnswer } from "./answer.ts";
import { embeddingModel, embeddingsReply, embeddingsRequest } from "./embeddings.ts";
import { readRecord } from "./record.ts";
import { rules } from "./rules.ts";

/** The running offline judge; `url` is its base URL. */
export interface OfflineJudge {
  readonly url: string;
  close(): Promise<void>;
}

/** The part of an answer's JSON schema that the offline judge reads: the names of the statements. */
const answerSchema = object({
  properties: optional(object({ statements: optional(object({ properties: record(string(), unknown()) })) })),
});

const chatRequest = object({
  model: string(),
  messages: array(object({ role: string(), content: string() })),
  response_format: object({ json_schema: object({ name: string(), schema: answerSchema }) }),
});

/** Estimates the tokens of a text: four characters per token. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

const failure = (message: string, code: string) => ({ error: { message, type: "invalid_request_error", code } });

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Serializes an answer, with an entry for every statement of the question. */
const contentOf = (answer: RuleAnswer, { properties }: InferOutput<typeof answerSchema>): string => {
  const { statements } = answer;
  if (statements === undefined) return JSON.stringify(answer);
  const { failedStatements, evidence, reason } = statements;
  const names = Object.keys(properties?.statements?.properties ?? {});
  const each = names.map((name) => [
    name,
    { evidence, reason, answer: failedStatements.includes(name) ? "no" : "yes" },
  ]);
  return JSON.stringify({ ...answer, statements: Object.fromEntries(each) });
};

const answer = ({ model, messages, response_format }: InferOutput<typeof chatRequest>): Answer => {
  if (model !== "rules") return { status: 404, body: failure("The only model here is 'rules'.", "model_not_found") };
  const { name, schema } = response_format.json_schema;
  const user = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const rule = rules.get(name);
  const replyMessage =
    rule === undefined
      ? { content: null, refusal: `There is no rule for the question of ${name}.` }
      : { content: contentOf(rule(readRecord(user), user), schema), refusal: null };
  const prompt = messages.reduce((sum, message) => sum + tokens(message.content), 0);
  const completion = tokens(replyMessage.content ?? replyMessage.refusal);
  return {
    status: 200,
    body: {
      id: "chatcmpl-offline",
      object: "chat.completion",
      created: 0,
      model,
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...replyMessage }, logprobs: null }],
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    },
  };
};

const embedding = (request: InferOutput<typeof embeddingsRequest>): Answer =>
  request.model === embeddingModel
    ? { status: 200, body: embeddingsReply(request, tokens) }
    : { status: 404, body: failure(`The only embedding model here is '${embeddingModel}'.`, "model_not_found") };

const endpoints: readonly (readonly [path: string, reply: (body: unknown) => Answer])[] = [
  ["/chat/completions", (body) => answer(parse(chatRequest, body))],
  ["/embeddings", (body) => embedding(parse(embeddingsRequest, body))],
];

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const reply = (status: number, body: object): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const endpoint = endpoints.find(([path]) => request.method === "POST" && pathname.endsWith(path));
  if (endpoint === undefined) {
    reply(404, failure("Only POST /chat/completions and POST /embeddings are served.", "not_found"));
    return;
  }
  try {
    const { status, body } = endpoint[1](await json(request));
    reply(status, body);
  } catch {
    reply(400, failure("The body is not a request of OpenAI's protocol that is known here.", "invalid_body"));
  }
};

/**
 * Starts the offline judge: a server with the OpenAI protocol on 127.0.0.1 that answers by fixed rules over the transcript, without
 * a model. For demos and tests; each reason starts with `offline/rules`. Questions without a rule are refused.
 *
 * Embeddings of the model `words` are hashed word counts. Not supported: other models, streaming, tools, authentication.
 *
 * @param port default 0, any free port
 */
export const startOfflineJudge = async ({ port = 0 }: { readonly port?: number } = {}): Promise<OfflineJudge> => {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The offline judge has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
