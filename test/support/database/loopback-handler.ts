import { connect } from "node:net";
import { HttpResponse, type HttpRequest } from "@smithy/core/transport";
import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";

/** End of the head of an HTTP message. */
const headEnd = "\r\n\r\n";

const lostConnection = (): Error =>
  Object.assign(new Error("The database has closed the connection."), { code: "ECONNRESET" });

/** A request that waits for its reply. */
interface Exchange {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** A body as the SDK reads it, from its bytes, and as `rawQuery` does, from a stream. */
const bodyOf = (bytes: Buffer) =>
  Object.assign(bytes, {
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
  });

const responseOf = (head: string, body: Buffer): HttpResponse => {
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
  return new HttpResponse({
    statusCode: Number(statusLine.split(" ")[1]),
    headers: Object.fromEntries(headers),
    body: bodyOf(body),
  });
};

/** A connection that sends one request at a time. */
const openConnection = (port: number, closed: () => void) => {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  let exchange: Exchange | undefined;
  let [head, missing]: [string | undefined, number] = [undefined, 0];
  let chunks: Buffer[] = [];

  const fail = (error: unknown): void => {
    exchange?.reject(error);
    exchange = undefined;
  };
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    missing -= chunk.length;
    if (head === undefined) {
      const bytes = Buffer.concat(chunks);
      const end = bytes.indexOf(headEnd);
      if (end === -1) return;
      head = bytes.toString("latin1", 0, end);
      const length = /\r\ncontent-length: (\d+)/iu.exec(head)?.[1];
      if (length === undefined) {
        socket.destroy(new Error("The database's reply has no Content-Length."));
        return;
      }
      chunks = [bytes.subarray(end + headEnd.length)];
      missing = Number(length) + end + headEnd.length - bytes.length;
    }
    if (missing > 0) return;
    const response = responseOf(head, chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    const answered = exchange;
    [exchange, head, chunks] = [undefined, undefined, []];
    answered?.resolve(response);
  });
  socket.on("error", fail);
  socket.on("close", () => {
    fail(lostConnection());
    closed();
  });
  return {
    send: (bytes: Buffer): Promise<HttpResponse> =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(lostConnection());
        exchange = { resolve, reject };
        socket.write(bytes);
      }),
    destroy: (error?: Error) => void socket.destroy(error),
  };
};

/**
 * HTTP handler of a client of a database on 127.0.0.1 that sends a Content-Length with each reply. Node.js's own HTTP client takes a
 * quarter of the CPU time of a call.
 */
export const loopbackHandler = () => {
  type Connection = ReturnType<typeof openConnection>;
  const idle = new Set<Connection>();

  return {
    handle: async (
      { port, method, path, headers, body }: HttpRequest,
      { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
    ) => {
      abortSignal?.throwIfAborted();
      const [idleConnection] = idle;
      const connection: Connection = idleConnection ?? openConnection(port ?? 80, () => idle.delete(connection));
      idle.delete(connection);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
      const abort = (): void => connection.destroy(abortSignal?.reason);
      abortSignal?.addEventListener("abort", abort, { once: true });
      const response = await connection.send(Buffer.concat([head, body]));
      abortSignal?.removeEventListener("abort", abort);
      idle.add(connection);
      return { response };
    },
    destroy: () => {
      for (const connection of idle) connection.destroy();
    },
    metadata: { handlerProtocol: "http/1.1" },
    httpHandlerConfigs: () => ({}),
    updateHttpClientConfig: () => undefined,
  } satisfies DynamoDBClientConfig["requestHandler"];
};
