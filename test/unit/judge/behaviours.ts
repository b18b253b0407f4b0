import { gzipSync } from "node:zlib";
import { completion, completionAnswer, reply, says, type Behaviour } from "../../support/runs/fake-judge.ts";
import { secret } from "./fixtures.ts";

const json = { "content-type": "application/json" };
const web = { "content-type": "text/html" };
const gzip = { ...json, "content-encoding": "gzip" };

/** A correct answer. */
export const good = says(completionAnswer());
/** The correct answer as text, for tests that corrupt it. */
export const goodText = JSON.stringify(completionAnswer());
/** A text of 5 MB. */
export const huge = "x".repeat(5 * 1024 * 1024);

/** A reply with a body as it is. */
export const raw =
  (status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = json): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** A web page instead of a completion. */
export const page = (status: number): Behaviour => raw(status, "<!doctype html><h1>It works!</h1>", web);

/** A compressed reply. */
export const compressed = (body: string): Behaviour => raw(200, gzipSync(body), gzip);

/** The correct answer with some of its fields replaced. */
export const answers = (fields: object): Behaviour => says(completionAnswer(fields));

/** A completion without an answer: replaced fields of the choice and of the message. */
export const without = (choice: object, message: object = {}): Behaviour =>
  reply(200, completion(null, choice, message));

/** The correct answer with the given token counts. */
export const counting = (usage: unknown): Behaviour => reply(200, { ...completion(goodText), usage });

/** A provider's error whose message contains the API key, as with some providers. */
export const error = (status: number, code: string | null = null, headers: Readonly<Record<string, string>> = {}) =>
  reply(status, { error: { message: `Your key is ${secret}`, type: "some_error", code } }, headers);

/** A connection that is closed without a reply. */
export const hangUp: Behaviour = (response) => {
  response.destroy();
};

/** A request that never gets an answer. */
export const silence: Behaviour = () => {};

/** A reply that declares 5,000 bytes, sends a few and ends. */
export const halfAReply: Behaviour = (response) => {
  response.writeHead(200, { ...json, "content-length": "5000" }).write('{"choices":[');
  response.socket?.end();
};

/** An endless reply of one byte at a time. */
export const drip: Behaviour = (response) => {
  response.writeHead(200, json);
  const timer = setInterval(() => response.write(" "), 20);
  response.once("close", () => clearInterval(timer));
};

/** An endless reply, as fast as the reader accepts it. */
export const flood: Behaviour = (response) => {
  response.writeHead(200, json).write('{"choices":"');
  const pour = (): void => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
    if (!response.destroyed) response.once("drain", pour);
  };
  pour();
};
