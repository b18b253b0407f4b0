/** A request; `headers` identify the caller and the project. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent as JSON; bytes are sent unchanged. */
  readonly body?: unknown;
}

/** A reply; `body` is undefined without a body. */
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

/** Creates a caller. A refused request throws an Error with the reply. */
export const caller =
  (baseUrl: string, credentials: () => Promise<Readonly<Record<string, string>>>): Send =>
  async (method, path, body, extraHeaders = {}) => {
    const headers = { ...(await credentials()), ...extraHeaders };
    const { status, body: reply } = await exchange(baseUrl, { method, path, headers, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(reply).slice(0, 1000)}`);
    return reply;
  };
