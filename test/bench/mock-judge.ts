import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { array, is, looseObject, object, parse, string, tuple, union, type InferOutput } from "valibot";
import { instanceOf, jsonSchema } from "../support/page/schema-instance.ts";

/** Text of every string in an answer. */
const reason = "The answer is consistent with the record and cites it.";

const withVerdicts = looseObject({ verdicts: tuple([looseObject({ call: string() })]) });

/**
 * A valid answer to any strict schema: the first option everywhere, and a verdict on each call that the question
 * numbers.
 */
export const anAnswer = (schema: unknown, question: string): unknown => {
  const answer = instanceOf(parse(jsonSchema, schema), reason);
  if (!is(withVerdicts, answer)) return answer;
  const [first] = answer.verdicts;
  const numbers = [...question.matchAll(/^Call (\d+)\b/gmu)].map(([, number]) => number ?? "");
  return { ...answer, verdicts: numbers.map((call) => Object.assign({}, first, { call })) };
};

const messages = array(object({ content: string() }));

const strict = object({
  model: string(),
  messages,
  response_format: object({ json_schema: object({ schema: jsonSchema }) }),
});

const withTool = object({
  model: string(),
  messages,
  tools: tuple([object({ function: object({ name: string(), parameters: jsonSchema }) })]),
});

/** The answer message to a question with a strict schema, or with a single tool. */
const messageFor = (question: InferOutput<typeof strict> | InferOutput<typeof withTool>) => {
  const lastQuestion = question.messages.at(-1)?.content ?? "";
  if ("response_format" in question) {
    return { content: JSON.stringify(anAnswer(question.response_format.json_schema.schema, lastQuestion)) };
  }
  const { name, parameters } = question.tools[0].function;
  const call = { name, arguments: JSON.stringify(anAnswer(parameters, lastQuestion)) };
  return { content: null, tool_calls: [{ id: "call-mock", type: "function", function: call }] };
};

/**
 * Starts a judge with OpenAI's protocol on 127.0.0.1 that returns valid answers after a fixed latency.
 * @param latency milliseconds.
 * @param port 0 for any free port.
 * @returns its base URL, and a function that stops it.
 */
export const startMockJudge = async (latency: number, port = 0) => {
  const serve = async (call: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [body] = await Promise.all([json(call), wait(latency)]);
    const question = parse(union([strict, withTool]), body);
    const message = { role: "assistant", ...messageFor(question), refusal: null };
    const prompt = Math.ceil(question.messages.reduce((sum, { content }) => sum + content.length, 0) / 4);
    const reply = JSON.stringify({
      id: "chatcmpl-mock",
      object: "chat.completion",
      created: 1,
      model: question.model,
      choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }],
      usage: { prompt_tokens: prompt, completion_tokens: 40, total_tokens: prompt + 40 },
    });
    response
      .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(reply) })
      .end(reply);
  };
  const server = createServer((call, response) => void serve(call, response));
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The mock judge has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
