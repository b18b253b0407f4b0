import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import {
  array,
  boolean,
  looseObject,
  object,
  parse,
  record,
  string,
  unknown,
  type InferOutput,
  pipe,
  transform,
  union,
} from "valibot";

/** Text and picture parts of a message are kept as JSON. */
const parts = pipe(
  array(unknown()),
  transform((content): string => JSON.stringify(content)),
);

const requestBody = looseObject({
  model: string(),
  messages: array(object({ role: string(), content: union([string(), parts]) })),
  response_format: object({
    type: string(),
    json_schema: object({ name: string(), strict: boolean(), schema: record(string(), unknown()) }),
  }),
});

/** A call received by the fake judge. */
interface JudgeCall {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly body: InferOutput<typeof requestBody>;
}

/** Answers one call of the fake judge by writing any response. */
export type Behaviour = (response: ServerResponse, call: JudgeCall) => void | Promise<void>;

/** A scriptable provider with the OpenAI protocol on 127.0.0.1. */
export interface FakeJudge {
  readonly url: string;
  readonly calls: readonly JudgeCall[];
  /** Maximum number of concurrent calls so far. */
  readonly peak: () => number;
  /** Sets the behaviours of the next calls in order; the last one repeats. */
  script(...behaviours: readonly Behaviour[]): void;
  close(): Promise<void>;
}

const statementAnswer = (answer: string, fields: object = {}): object => ({
  evidence: ["#1"],
  reason: "It was found.",
  answer,
  ...fields,
});

/** Statement names of task_completion, starting with the most fundamental. */
const completionStatements = ["delivered", "substantial", "main", "complete", "exact"] as const;

/** Levels of task_completion from the worst; at level n, statement n is the first that does not hold. */
const completionLevels = ["not_at_all", "barely", "partly", "mostly"];

/** Answers to the statements of task_completion that result in a level of its scale, with some fields replaced. */
export const completionAnswers = (level: string, fields: object = {}): object => {
  const place = completionLevels.indexOf(level);
  const isFalse = (index: number): boolean => place !== -1 && index >= place && index < 4;
  return Object.fromEntries(
    completionStatements.map((name, index) => [name, statementAnswer(isFalse(index) ? "no" : "yes", fields)]),
  );
};

/** An answer of task_completion that results in "mostly", with some fields replaced. */
export const completionAnswer = (fields: object = {}): object => ({
  task: "Find the order.",
  outcome: "The order was found.",
  statements: completionAnswers("mostly"),
  ...fields,
});

/** A chat completion with this message content, and optional other fields of the choice or the message. */
export const completion = (content: unknown, choice: object = {}, message: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "judge",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content, ...message }, ...choice }],
  usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 40 } },
});

/** Replies with a JSON body. */
export const reply =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

/** Replies with a chat completion; an object is sent as JSON text. */
export const says = (content: unknown): Behaviour =>
  reply(200, completion(typeof content === "string" ? content : JSON.stringify(content)));

/** Starts the fake judge; without a script every call gets a valid answer. */
export const startFakeJudge = async (): Promise<FakeJudge> => {
  const calls: JudgeCall[] = [];
  let behaviours: readonly Behaviour[] = [says(completionAnswer())];
  let served = 0;
  let open = 0;
  let peak = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open += 1;
    peak = Math.max(peak, open);
    response.once("close", () => (open -= 1));
    const body = parse(requestBody, await json(request));
    const call: JudgeCall = { headers: request.headers, path: request.url ?? "", body };
    calls.push(call);
    const behaviour = behaviours[Math.min(served, behaviours.length - 1)];
    served += 1;
    await behaviour?.(response, call);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The fake judge has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    calls,
    peak: () => peak,
    script: (...newBehaviours) => {
      behaviours = newBehaviours;
      served = 0;
      calls.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
