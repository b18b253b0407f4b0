import { credentialHeaders, type Credentials } from "./credentials.ts";
import { ConnectionError, errorOf, TimeoutError } from "./errors.ts";
import type { Operations } from "./interface.ts";
import { operations } from "./operations.ts";
import { everyItem } from "./pages.ts";
import { addressOf, type CallInput, type Operation } from "./request.ts";
import { pause, pauseBefore } from "./retries.ts";

export interface ClientOptions {
  /** The service's address, stage included: `https://abc.execute-api.eu-west-1.amazonaws.com/dev`. */
  readonly baseUrl: string;
  /** None for what anyone may read. */
  readonly credentials?: Credentials | undefined;
  /** Milliseconds within which one try must be answered, its body included. Default 30,000, the gateway's own limit and a little. */
  readonly timeout?: number | undefined;
  /** Further tries when the service is busy or cannot be reached. Default 3. */
  readonly retries?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** What one call may say otherwise. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  /** By which a POST that is sent again is known. Drawn at random for each call when absent. */
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

/** What a dry run is answered; another call of the same operation is answered as ever. */
interface DryRunMethod<Of, Estimate> {
  (input: InputOf<Of> & { readonly query: { readonly dry_run: true } }, options?: CallOptions): Promise<Estimate>;
  (input: InputOf<Of> & { readonly query?: { readonly dry_run?: false } }, options?: CallOptions): Promise<Answer<Of>>;
}

type Method<Of> = Of extends { readonly dryRun: infer Estimate }
  ? DryRunMethod<Of, Estimate>
  : (...args: Arguments<InputOf<Of>>) => Promise<Answer<Of>>;

/** One item of a list that is read in pages. */
type ItemOf<Reply> =
  Extract<Reply, { readonly items: readonly unknown[] }> extends {
    readonly items: readonly (infer Item)[];
  }
    ? Item
    : never;

type Listed = {
  [Id in keyof Operations]: ItemOf<ReplyOf<Operations[Id]>> extends never
    ? never
    : Operations[Id] extends { readonly query: { readonly limit?: number | undefined } }
      ? Id
      : never;
}[keyof Operations];

type EachMethod<Of> = (...args: Arguments<InputOf<Of>>) => AsyncGenerator<ItemOf<ReplyOf<Of>>, void>;

/** Every operation by its name, and under `each` those that list: all items, page after page. */
export type Client = { readonly [Id in keyof Operations]: Method<Operations[Id]> } & {
  readonly each: { readonly [Id in Listed]: EachMethod<Operations[Id]> };
};

const parsed = (text: string): unknown => {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return null;
  }
};

const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * Calls the service: a method for each operation, named as in its OpenAPI document.
 *
 * A call that the service was too busy for, or that was not answered, is made again, at the time that the service asks
 * for; each try carries the same key, so that nothing is made twice.
 *
 * @throws ApiError (a class for each kind of refusal), ConnectionError, TimeoutError, and the reason of a signal that was
 * aborted; all from the calls.
 */
export const createClient = (options: ClientOptions): Client => {
  const { baseUrl, credentials, timeout = 30_000, retries = 3 } = options;
  const send = options.fetch ?? globalThis.fetch.bind(globalThis);

  const attempt = async (
    url: string,
    init: RequestInit,
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const late = AbortSignal.timeout(milliseconds);
    const until = signal === undefined ? late : AbortSignal.any([signal, late]);
    let response: Response;
    let text: string;
    try {
      response = await send(url, { ...init, signal: until });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      if (late.aborted) throw new TimeoutError(`There was no answer within ${milliseconds} ms.`, { cause: error });
      throw new ConnectionError("The service could not be reached.", { cause: error });
    }
    const body = parsed(text);
    if (!response.ok) throw errorOf(response, isRecord(body) ? body : null);
    return body;
  };

  const call = async (
    [method, path, access]: Operation,
    input: CallInput = {},
    own: CallOptions = {},
  ): Promise<unknown> => {
    const url = addressOf(baseUrl, path, input);
    const { signal } = own;
    const key = own.idempotencyKey ?? crypto.randomUUID();
    for (let made = 1; ; made += 1) {
      signal?.throwIfAborted();
      const headers = {
        ...(await credentialHeaders(credentials, access)),
        ...(input.body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(method === "POST" ? { "Idempotency-Key": key } : {}),
      };
      const body = input.body === undefined ? {} : { body: JSON.stringify(input.body) };
      try {
        return await attempt(url, { method, headers, ...body }, own.timeout ?? timeout, signal);
      } catch (error) {
        const wait = pauseBefore(error, made, own.retries ?? retries, Math.random());
        if (wait === null) throw error;
        await pause(wait, signal);
      }
    }
  };

  const all = Object.entries<Operation>(operations);
  const methods = all.map(([id, operation]) => [
    id,
    (input?: CallInput, own?: CallOptions) => call(operation, input, own),
  ]);
  const each = all.map(([id, operation]) => [
    id,
    (input: CallInput = {}, own?: CallOptions) =>
      everyItem((query) => call(operation, { ...input, query: { ...input.query, ...query } }, own), { ...input.query }),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries have lost the names that the type maps.
  return { ...Object.fromEntries(methods), each: Object.fromEntries(each) } as Client;
};
