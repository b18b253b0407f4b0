import { gzipSync } from "node:zlib";
import { completion, completionAnswer, reply, says, type Behaviour } from "../../support/runs/fake-judge.ts";
import { secret } from "./fixtures.ts";

const json = { "content-type": "application/json" };
const web = { "content-type": "text/html" };
const gzip = { ...json, "content-encoding": "gzip" };

/** An answer that is right. */
export const good = says(completionAnswer());
/** The right answer as text, to be spoilt. */
export const goodText = JSON.stringify(completionAnswer());
/** 5 MB of nothing. */
export const huge = "x".repeat(5 * 1024 * 1024);

/** Answers with a body as it is. */
export const raw =
  (status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = json): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** A web page in place of a reply. */
export const page = (status: number): Behaviour => raw(status, "<!doctype html><h1>It works!</h1>", web);

/** A compressed reply. */
export const compressed = (body: string): Behaviour => raw(200, gzipSync(body), gzip);

/** The right answer with some of its fields replaced. */
export const answers = (fields: object): Behaviour => says(completionAnswer(fields));

/** A reply without an answer: other fields of the choice and of the message. */
export const without = (choice: object, message: object = {}): Behaviour =>
  reply(200, completion(null, choice, message));

/** The right answer with this for its token counts. */
export const counting = (usage: unknown): Behaviour => reply(200, { ...completion(goodText), usage });

/** A provider's error; its message holds the key, as those of some do. */
export const error = (status: number, code: string | null = null, headers: Readonly<Record<string, string>> = {}) =>
  reply(status, { error: { message: `Your key is ${secret}`, type: "some_error", code } }, headers);

/** Ends the connection without a word. */
export const hangUp: Behaviour = (response) => {
  response.destroy();
};

/** Never answers. */
export const silence: Behaviour = () => {};

/** Promises 5,000 bytes, sends a few and ends. */
export const halfAReply: Behaviour = (response) => {
  response.writeHead(200, { ...json, "content-length": "5000" }).write('{"choices":[');
  response.socket?.end();
};

/** A byte now and then, for ever. */
export const drip: Behaviour = (response) => {
  response.writeHead(200, json);
  const timer = setInterval(() => response.write(" "), 20);
  response.once("close", () => clearInterval(timer));
};

/** As much as the reader takes, for ever. */
export const flood: Behaviour = (response) => {
  response.writeHead(200, json).write('{"choices":"');
  const pour = (): void => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
    if (!response.destroyed) response.once("drain", pour);
  };
  pour();
};
