/** A request; `headers` say who asks and where. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; bytes go out as they are. */
  readonly body?: unknown;
}

/** A reply; `body` is undefined when there was none. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request to a service. */
export const exchange = async (baseUrl: string, { method, path, headers = {}, body }: Request): Promise<Reply> => {
  const bytes = body instanceof Uint8Array;
  const reply = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...(body !== undefined && !bytes && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: bytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
};

/** Sends requests of one caller, who expects each to succeed. */
// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into as they come, of whatever version.
export type Send = (method: string, path: string, body?: unknown, headers?: Request["headers"]) => Promise<any>;

/** Makes a caller. A request that is refused throws an Error with the reply. */
export const caller =
  (baseUrl: string, who: () => Promise<Readonly<Record<string, string>>>): Send =>
  async (method, path, body, more = {}) => {
    const headers = { ...(await who()), ...more };
    const { status, body: reply } = await exchange(baseUrl, { method, path, headers, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(reply).slice(0, 1000)}`);
    return reply;
  };
