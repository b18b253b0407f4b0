import { credentialHeaders, type Credentials } from "./credentials.ts";
import { ConnectionError, errorOf, TimeoutError } from "./errors.ts";
import type { Operations } from "./interface.ts";
import { operations } from "./operations.ts";
import { allItems } from "./pages.ts";
import { addressOf, type CallInput, type CallTarget } from "./request.ts";
import { pause, retryDelay } from "./retries.ts";

/** Options of a client. */
export interface ClientOptions {
  /** Base URL of the service with the stage: `https://abc.execute-api.eu-west-1.amazonaws.com/dev`. */
  readonly baseUrl: string;
  /** API key or bearer token; not required for public operations. */
  readonly credentials?: Credentials | undefined;
  /** Timeout of one attempt in milliseconds, including the body. Default 30,000, slightly above API Gateway's limit. */
  readonly timeout?: number | undefined;
  /** Maximum number of retries when the service is busy or unreachable. Default 3. */
  readonly retries?: number | undefined;
  /** Implementation of `fetch`. Default `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Options of one call; they override the options of the client. */
export interface CallOptions {
  /** Signal that aborts the call, including its retries. */
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  /** Idempotency key of a POST. Default: a random key per call, the same for all its retries. */
  readonly idempotencyKey?: string | undefined;
}

type Part<Of, Name extends string> =
  Of extends Readonly<Record<Name, infer Value>>
    ? Partial<Value> extends Value
      ? { readonly [Key in Name]?: Value }
      : { readonly [Key in Name]: Value }
    : unknown;

type InputOf<Of> = Part<Of, "path"> & Part<Of, "query"> & Part<Of, "body">;

type Arguments<Input> =
  Partial<Input> extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions];

type ReplyOf<Of> = Of extends { readonly reply: infer Reply } ? Reply : undefined;

type Answer<Of> = Of extends { readonly report: infer Report } ? ReplyOf<Of> | Report : ReplyOf<Of>;

/** Method of an operation with `dry_run`: a dry run returns the estimate, any other call the usual reply. */
interface DryRunMethod<Of, Estimate> {
  (input: InputOf<Of> & { readonly query: { readonly dry_run: true } }, options?: CallOptions): Promise<Estimate>;
  (input: InputOf<Of> & { readonly query?: { readonly dry_run?: false } }, options?: CallOptions): Promise<Answer<Of>>;
}

type Method<Of> = Of extends { readonly dryRun: infer Estimate }
  ? DryRunMethod<Of, Estimate>
  : (...args: Arguments<InputOf<Of>>) => Promise<Answer<Of>>;

/** Item type of a list reply. */
type ItemOf<Reply> =
  Extract<Reply, { readonly items: readonly unknown[] }> extends {
    readonly items: readonly (infer Item)[];
  }
    ? Item
    : never;

type ListOperation = {
  [Id in keyof Operations]: ItemOf<ReplyOf<Operations[Id]>> extends never
    ? never
    : Operations[Id] extends { readonly query: { readonly limit?: number | undefined } }
      ? Id
      : never;
}[keyof Operations];

type EachMethod<Of> = (...args: Arguments<InputOf<Of>>) => AsyncGenerator<ItemOf<ReplyOf<Of>>, void>;

/** Client with a method per operation. `each` has a generator per list operation, which yields the items of all pages. */
export type Client = { readonly [Id in keyof Operations]: Method<Operations[Id]> } & {
  readonly each: { readonly [Id in ListOperation]: EachMethod<Operations[Id]> };
};

const parseJson = (text: string): unknown => {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return null;
  }
};

/** Checks headers before `fetch` does, whose error shows the value. @throws TypeError that names the header only: its value may be a key. */
const checkHeaders = (headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers().set(name, value);
    } catch {
      throw new TypeError(`The value of the header ${name} has a character that no header may have.`);
    }
  }
};

const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * Creates a typed client of the service, with a method per operation of the OpenAPI document.
 *
 * Calls that time out, or that the service is too busy for, are retried after the delay in `Retry-After` or a random backoff.
 * Retries carry the same idempotency key, so that nothing is created twice.
 *
 * The methods reject with `ApiError` (one subclass per kind of error reply), `ConnectionError`, `TimeoutError`, or the reason of
 * the aborted signal; with `TypeError`, before anything is sent, for a value that cannot be part of a request.
 *
 * @example
 * const client = createClient({ baseUrl, credentials: { apiKey: "sk_as_...", projectName: "default" } });
 * const trace = await client.getTrace({ path: { trace_id } });
 * for await (const { name } of client.each.listTraces({ query: { status: "ERROR" } })) console.log(name);
 */
export const createClient = (options: ClientOptions): Client => {
  const { baseUrl, credentials, timeout = 30_000, retries = 3 } = options;
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);

  /** Sends one request and returns its parsed body. @throws ApiError, ConnectionError, TimeoutError, or the reason of the signal. */
  const attempt = async (
    url: string,
    init: RequestInit,
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const timeoutSignal = AbortSignal.timeout(milliseconds);
    const combinedSignal = signal === undefined ? timeoutSignal : AbortSignal.any([signal, timeoutSignal]);
    let response: Response;
    let text: string;
    try {
      response = await send(url, { ...init, signal: combinedSignal });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      if (timeoutSignal.aborted)
        throw new TimeoutError(`The service did not answer within ${milliseconds} ms.`, { cause: error });
      throw new ConnectionError("The service could not be reached.", { cause: error });
    }
    const isLines = response.headers.get("Content-Type") === "application/x-ndjson";
    const body = isLines ? text : parseJson(text);
    if (!response.ok) throw errorOf(response, isRecord(body) ? body : null);
    return body;
  };

  const call = async (
    [method, path, access]: CallTarget,
    input: CallInput = {},
    callOptions: CallOptions = {},
  ): Promise<unknown> => {
    const url = addressOf(baseUrl, path, input);
    const { signal } = callOptions;
    const key = callOptions.idempotencyKey ?? crypto.randomUUID();
    for (let attemptCount = 1; ; attemptCount += 1) {
      signal?.throwIfAborted();
      const headers: Record<string, string> = {
        ...(await credentialHeaders(credentials, access)),
        ...(input.body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(method === "POST" ? { "Idempotency-Key": key } : {}),
      };
      checkHeaders(headers);
      const body = input.body === undefined ? {} : { body: JSON.stringify(input.body) };
      try {
        return await attempt(url, { method, headers, ...body }, callOptions.timeout ?? timeout, signal);
      } catch (error) {
        const delay = retryDelay(error, attemptCount, callOptions.retries ?? retries, Math.random());
        if (delay === null) throw error;
        await pause(delay, signal);
      }
    }
  };

  const entries = Object.entries<CallTarget>(operations);
  const methods = entries.map(([id, operation]) => [
    id,
    (input?: CallInput, callOptions?: CallOptions) => call(operation, input, callOptions),
  ]);
  const each = entries.map(([id, operation]) => [
    id,
    (input: CallInput = {}, callOptions?: CallOptions) =>
      allItems((query) => call(operation, { ...input, query: { ...input.query, ...query } }, callOptions), {
        ...input.query,
      }),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Object.fromEntries` loses the operation names.
  return { ...Object.fromEntries(methods), each: Object.fromEntries(each) } as Client;
};
