import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { looseObject, number, object, parse, string, unknown } from "valibot";
import type { Price } from "../../../lib/prices/price.ts";
import { instanceOf, jsonSchema } from "../page/schema-instance.ts";

const requestBody = looseObject({ messages: unknown(), response_format: unknown(), max_completion_tokens: number() });

const strictFormat = object({ json_schema: object({ name: string(), schema: jsonSchema }) });

/** Text of every string in an answer; also valid where an answer must start with a call's number. */
const evidence = "#1";

/** Usage as a reply reports it; each half may be missing or impossible. */
export interface ReportedUsage {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
}

/** Scripted reply of the judge to one call. */
export type ScriptedReply =
  /** A valid answer, or the given text; cut off when longer than the call allows. */
  | { readonly kind: "answer"; readonly tokens: number; readonly text?: string; readonly usage?: ReportedUsage }
  /** As many tokens as the call allows, cut off without an end. */
  | { readonly kind: "endless" }
  | { readonly kind: "error"; readonly status: number }
  /** A successful reply that holds an error; the call is not billed. */
  | { readonly kind: "error-within"; readonly status: number }
  /** The call is billed, and the first choice of a successful reply has an error after a part of the answer. */
  | { readonly kind: "begun-error"; readonly status: number; readonly tokens: number }
  /** The call is billed, and a gateway answers with an error. */
  | { readonly kind: "billed-error"; readonly status: number; readonly tokens: number }
  /** The call is billed, and the connection breaks before the answer. */
  | { readonly kind: "lost"; readonly tokens: number };

/** Token counts and replies of a billing judge. */
export interface BillingScript {
  /** Returns the number of tokens of a prompt. */
  readonly promptTokens: (text: string) => number;
  /** Tokens per picture. */
  readonly pictureTokens: number;
  /** Returns how many of a prompt's tokens were cached. */
  readonly cached: (tokens: number) => number;
  readonly says: (call: number) => ScriptedReply | Promise<ScriptedReply>;
}

/** A received prompt. */
export interface SentPrompt {
  /** Name of the answer's schema: that of a metric or of an extraction. */
  readonly question: string;
  /** Marker of a target's material, unique to the prompts of that target. */
  readonly target: string;
  /**
   * UTF-8 bytes of the messages as JSON without pictures, including the schema, which some providers receive as text.
   */
  readonly bytes: number;
  readonly pictures: number;
}

/** A judge on 127.0.0.1 that records the cost of its calls. */
export interface BillingJudge {
  readonly url: string;
  /** Total billed cost in US dollars. */
  readonly billed: () => number;
  /** Prompts of all calls, whatever the reply. */
  readonly prompts: () => readonly SentPrompt[];
  readonly close: () => Promise<void>;
}

/** The line of a prompt with the marker of the material. */
const codes = /Codes of this evaluation: ([0-9a-f]{32}) and/u;

const pictures = /data:image\/png;base64,[A-Za-z0-9+/=]+/gu;

/** Starts a billing judge with OpenAI's protocol. */
export const startBillingJudge = async (price: Price, script: BillingScript): Promise<BillingJudge> => {
  let billed = 0;
  const prompts: SentPrompt[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = parse(requestBody, await json(request));
    const { name, schema } = parse(strictFormat, body.response_format).json_schema;
    const [messages, format] = [JSON.stringify(body.messages), JSON.stringify(body.response_format)];
    const messagesText = messages.replace(pictures, "");
    const text = messagesText + format;
    const target = codes.exec(text)?.[1];
    if (target === undefined) throw new Error("The prompt does not tell how its material is marked.");
    const pictureCount = messages.match(pictures)?.length ?? 0;
    const bytes = Buffer.byteLength(messagesText) + Buffer.byteLength(JSON.stringify(format));
    prompts.push({ question: name, target, bytes, pictures: pictureCount });
    const scriptedReply = await script.says(prompts.length);
    if (scriptedReply.kind === "error") {
      response.writeHead(scriptedReply.status, { "content-type": "application/json" }).end("{}");
      return;
    }
    if (scriptedReply.kind === "error-within") {
      const error = { code: scriptedReply.status, message: "No." };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ error }));
      return;
    }
    const limit = body.max_completion_tokens;
    const replyTokens = scriptedReply.kind === "endless" ? Infinity : scriptedReply.tokens;
    const completion = Math.min(replyTokens, limit);
    const prompt = script.promptTokens(text) + pictureCount * script.pictureTokens;
    const cached = script.cached(prompt);
    billed += ((prompt - cached) * price.input + cached * price.cached + completion * price.output) / 1e6;
    if (scriptedReply.kind === "lost") return void response.destroy();
    if (scriptedReply.kind === "billed-error") {
      response.writeHead(scriptedReply.status, { "content-type": "application/json" }).end("{}");
      return;
    }
    if (scriptedReply.kind === "begun-error") {
      const error = { code: scriptedReply.status, message: "max_tokens is not supported here." };
      const choice = { finish_reason: "error", error, message: { role: "assistant", content: '{"reason"' } };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices: [choice] }));
      return;
    }
    const cut = replyTokens > limit;
    const right = scriptedReply.kind === "answer" ? scriptedReply.text : undefined;
    const content = cut ? '{"reason": "' : (right ?? JSON.stringify(instanceOf(schema, evidence)));
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        choices: [{ finish_reason: cut ? "length" : "stop", message: { role: "assistant", content } }],
        usage: {
          prompt_tokens: prompt,
          completion_tokens: completion,
          prompt_tokens_details: { cached_tokens: cached },
          ...(scriptedReply.kind === "answer" && scriptedReply.usage),
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
