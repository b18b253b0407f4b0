import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { looseObject, number, object, parse, string, unknown, type InferOutput } from "valibot";
import type { Price } from "../../../lib/judge/prices/price.ts";
import { instanceOf, jsonSchema } from "../page/schema-instance.ts";

const requestBody = looseObject({ messages: unknown(), response_format: unknown(), max_completion_tokens: number() });
type Body = InferOutput<typeof requestBody>;

const strictFormat = object({ json_schema: object({ name: string(), schema: jsonSchema }) });

/** Stands in every text of an answer; where a call's number is asked for it is the first. */
const evidence = "1. The answer is consistent with the record and cites it.";

/** What the judge says to a call. */
export type Said =
  /** A right answer, or another text in its place. Longer than the call allows it is cut. */
  | { readonly kind: "answer"; readonly tokens: number; readonly text?: string }
  /** As many tokens as the call allows, and no end. */
  | { readonly kind: "endless" }
  | { readonly kind: "error"; readonly status: number }
  /** It answers and bills, and the connection breaks. */
  | { readonly kind: "lost"; readonly tokens: number };

/** How a judge counts and answers. */
export interface BillingScript {
  /** Tokens of a prompt. */
  readonly promptTokens: (text: string) => number;
  /** Tokens of a picture. */
  readonly pictureTokens: number;
  /** Of a prompt's tokens how many came from the cache. */
  readonly cached: (tokens: number) => number;
  readonly says: (call: number) => Said;
}

/** A prompt as it came. */
export interface SentPrompt {
  /** Name of the answer's schema: a metric's, or that of an extraction. */
  readonly question: string;
  /** What marks the material of one target; it stands in all of its prompts and in no other's. */
  readonly target: string;
  /** Of its messages as JSON in UTF-8, pictures left out, and of its schema as a text among them: so some providers are told it. */
  readonly bytes: number;
  readonly pictures: number;
}

/** A judge on 127.0.0.1 that keeps account of what it bills. */
export interface BillingJudge {
  readonly url: string;
  /** US dollars. */
  readonly billed: () => number;
  /** Of every call, whatever was said to it. */
  readonly prompts: () => readonly SentPrompt[];
  readonly close: () => Promise<void>;
}

/** The line that tells a judge how the material is marked. */
const codes = /Codes of this evaluation: ([0-9a-f]{32}) and/u;

const pictures = /data:image\/png;base64,[A-Za-z0-9+/=]+/gu;

const textOf = ({ messages, response_format: format }: Body): string =>
  `${JSON.stringify(messages)}${JSON.stringify(format)}`;

const bytesOf = ({ messages, response_format: format }: Body): number =>
  [JSON.stringify(messages).replace(pictures, ""), JSON.stringify(JSON.stringify(format))].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );

/** Starts a judge of OpenAI's protocol. */
export const startBillingJudge = async (price: Price, script: BillingScript): Promise<BillingJudge> => {
  let billed = 0;
  const prompts: SentPrompt[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = parse(requestBody, await json(request));
    const { name, schema } = parse(strictFormat, body.response_format).json_schema;
    const sent = textOf(body);
    const text = sent.replace(pictures, "");
    const target = codes.exec(text)?.[1];
    if (target === undefined) throw new Error("The prompt does not tell how its material is marked.");
    const seen = sent.match(pictures)?.length ?? 0;
    prompts.push({ question: name, target, bytes: bytesOf(body), pictures: seen });
    const said = script.says(prompts.length);
    if (said.kind === "error") {
      response.writeHead(said.status, { "content-type": "application/json" }).end("{}");
      return;
    }
    const limit = body.max_completion_tokens;
    const wanted = said.kind === "endless" ? Infinity : said.tokens;
    const completion = Math.min(wanted, limit);
    const prompt = script.promptTokens(text) + seen * script.pictureTokens;
    const cached = script.cached(prompt);
    billed += ((prompt - cached) * price.input + cached * price.cached + completion * price.output) / 1e6;
    if (said.kind === "lost") return void response.destroy();
    const cut = wanted > limit;
    const right = said.kind === "answer" ? said.text : undefined;
    const content = cut ? '{"reason": "' : (right ?? JSON.stringify(instanceOf(schema, evidence)));
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        choices: [{ finish_reason: cut ? "length" : "stop", message: { role: "assistant", content } }],
        usage: {
          prompt_tokens: prompt,
          completion_tokens: completion,
          prompt_tokens_details: { cached_tokens: cached },
        },
      }),
    );
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The judge has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    billed: () => billed,
    prompts: () => prompts,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
