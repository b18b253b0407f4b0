import { Agent, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { parseExact, type Value } from "./exact-json.ts";

/** A reply; `value` is undefined without a body. */
export interface Answer {
  readonly status: number;
  readonly value: Value | undefined;
}

/** Query parameters; a list is sent as a repeated parameter. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Sends a request within one project. @param body JSON text to send. */
export type Call = (method: string, path: string, parameters?: { query?: Query; body?: string }) => Promise<Answer>;

const agent = new Agent({ keepAlive: true, maxSockets: 32 });

const queryOf = (query: Query): string => {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [value].flat().map((each) => [name, String(each)]),
  );
  return pairs.length === 0 ? "" : `?${String(new URLSearchParams(pairs))}`;
};

/** Creates a caller with a project's credentials, independent of the routes. */
export const caller =
  (baseUrl: string, headers: Readonly<Record<string, string>>): Call =>
  async (method, path, { query = {}, body } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { hostname, port } = new URL(baseUrl);
    const options = { hostname, port, method, path: `${path}${queryOf(query)}`, agent };
    const sending = request(options, (response) => {
      const readReply = async (): Promise<Answer> => {
        const text = await textOf(response);
        return { status: response.statusCode ?? 0, value: text === "" ? undefined : parseExact(text) };
      };
      void readReply().then(resolve, reject);
    });
    const typed = body === undefined ? {} : { "Content-Type": "application/json" };
    for (const [name, value] of Object.entries({ ...headers, ...typed })) sending.setHeader(name, value);
    sending.on("error", reject);
    sending.setTimeout(60_000, () => sending.destroy(new Error(`${method} ${path} took more than a minute.`)));
    sending.end(body);
    return await promise;
  };
