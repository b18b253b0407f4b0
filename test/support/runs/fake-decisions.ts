import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";

const openAiBody = v.object({
  model: v.string(),
  input: v.tuple([
    v.object({ role: v.literal("developer"), content: v.string() }),
    v.object({
      role: v.literal("user"),
      content: v.tuple([v.object({ type: v.literal("input_text"), text: v.string() })]),
    }),
  ]),
  questions: v.array(v.object({ type: v.literal("predicate"), name: v.string(), instructions: v.string() })),
});

const systemOneBody = v.object({
  model: v.string(),
  state: v.string(),
  questions: v.record(
    v.string(),
    v.object({
      type: v.literal("noul"),
      instructions: v.string(),
      criteria: v.object({ true: v.string(), false: v.string() }),
    }),
  ),
});

/** A question as the server received it. */
export interface AskedQuestion {
  readonly name: string;
  readonly text: string;
}

/** A call of a decision model as the server received it. */
interface DecisionCall {
  readonly form: "openai" | "systemone";
  /** Rules, criteria and material. */
  readonly state: string;
  readonly questions: readonly AskedQuestion[];
}

/** Behaviour of the server on one call. */
export type DecisionReply =
  /** Answers each question: a probability, or null to refuse it. */
  | { readonly kind: "answers"; readonly of?: (question: AskedQuestion, index: number) => number | null }
  /** Answers in the reverse order, leaves the last answer out, or names a probability of 1.2. */
  | { readonly kind: "reversed" | "short" | "out-of-range" }
  | { readonly kind: "error"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** Bills the call and breaks the connection before the answer. */
  | { readonly kind: "dropped" };

/** A server of decision models on 127.0.0.1 with books of what it billed. */
export interface FakeDecisions {
  /** Base URL of OpenAI's form; System One's form is below its parent. */
  readonly url: string;
  readonly calls: readonly DecisionCall[];
  /** US dollars billed, by tokens of 4 characters. */
  readonly billed: () => number;
  /** Sets the replies by the number of the call, from 0, and clears calls and books. */
  script(reply: (call: number) => DecisionReply | Promise<DecisionReply>): void;
  close(): Promise<void>;
}

/** A probability that depends on the question alone, between 0.02 and 0.98. */
export const probabilityOf = ({ text }: AskedQuestion): number =>
  (2 + (Array.from(text).reduce((sum, sign) => sum + (sign.codePointAt(0) ?? 0), 0) % 97)) / 100;

const read = async (request: IncomingMessage): Promise<DecisionCall> => {
  const body: unknown = await json(request);
  if (request.url?.endsWith("/systemone")) {
    const { state, questions } = v.parse(systemOneBody, body);
    const sentQuestions = Object.entries(questions).map(([name, { instructions: text }]) => ({ name, text }));
    return { form: "systemone", state, questions: sentQuestions };
  }
  const { input, questions } = v.parse(openAiBody, body);
  const [{ content: rules }, { content }] = input;
  const sentQuestions = questions.map(({ name, instructions: text }) => ({ name, text }));
  return { form: "openai", state: `${rules}\n\n${content[0].text}`, questions: sentQuestions };
};

/** The bodies of a reply in both forms. */
const bodyOf = ({ form, questions }: DecisionCall, reply: DecisionReply, tokens: number): object => {
  const { of = probabilityOf } = reply.kind === "answers" ? reply : {};
  const answers = questions.map((question, index) => {
    const probability = reply.kind === "out-of-range" ? 1.2 : of(question, index);
    return probability === null
      ? { name: question.name, type: "refusal" }
      : { name: question.name, type: "predicate", probability };
  });
  if (reply.kind === "reversed") answers.reverse();
  if (reply.kind === "short") answers.pop();
  const usage = { input_tokens: tokens, output_tokens: 0, total_tokens: tokens };
  if (form === "openai") return { answers, model: "decisions", usage };
  const byName = answers.map(({ name, probability }) => [
    name,
    probability === undefined ? { type: "refusal" } : { type: "noul", noul: probability },
  ]);
  return { answers: Object.fromEntries(byName), model: "decisions", usage };
};

/** Starts the server; until `script` is called it answers each question by `probabilityOf`. @param latency milliseconds. @param price US dollars per million tokens. */
export const startFakeDecisions = async (latency = 0, price = 0.1): Promise<FakeDecisions> => {
  const calls: DecisionCall[] = [];
  let billed = 0;
  let replyTo: Parameters<FakeDecisions["script"]>[0] = () => ({ kind: "answers" });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await read(request);
    calls.push(call);
    const reply = await replyTo(calls.length - 1);
    if (latency > 0) await wait(latency);
    if (reply.kind === "error") {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(JSON.stringify({ error: { message: "No.", code: "error" } }));
      return;
    }
    const tokens = Math.ceil((call.state.length + JSON.stringify(call.questions).length) / 4);
    billed += (tokens * price) / 1e6;
    if (reply.kind === "dropped") return void response.destroy();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(bodyOf(call, reply, tokens)));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The decision server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    calls,
    billed: () => billed,
    script: (reply) => {
      replyTo = reply;
      calls.length = 0;
      billed = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
