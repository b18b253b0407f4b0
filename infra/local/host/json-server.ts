import { createServer, type IncomingHttpHeaders } from "node:http";
import { json as readJsonBody } from "node:stream/consumers";
import { listenOnLoopback, type Endpoint } from "./loopback-server.ts";

/** A request to an emulated AWS service, with its parsed JSON body. */
export interface JsonRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An error reply of an emulated AWS service; thrown by a handler of `serveJson`. */
export class ServiceError extends Error {
  override readonly name: string;
  readonly status: number;

  constructor(name: string, message: string, status = 400) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

/** Starts an HTTP server with JSON bodies on 127.0.0.1. The handler returns the reply's body or throws a `ServiceError`. */
export const serveJson = async (handle: (request: JsonRequest) => unknown): Promise<Endpoint> =>
  listenOnLoopback(
    createServer((request, response) => {
      const answer = async (): Promise<void> => {
        const { method = "GET", headers } = request;
        const hasBody = Number(headers["content-length"] ?? 0) > 0;
        const body = hasBody ? ((await readJsonBody(request)) as Record<string, unknown>) : {};
        const reply = await handle({ method, headers, body, url: new URL(request.url ?? "/", "http://127.0.0.1") });
        response.writeHead(200, { "content-type": headers["content-type"] ?? "application/json" });
        response.end(JSON.stringify(reply));
      };
      answer().catch((error: unknown) => {
        const { name, message } = error as Error;
        const isServiceError = error instanceof ServiceError;
        const type = isServiceError ? name : "InternalServerException";
        response.writeHead(isServiceError ? error.status : 500, {
          "content-type": request.headers["content-type"] ?? "application/json",
          "x-amzn-errortype": type,
        });
        response.end(JSON.stringify({ __type: type, message, Message: message }));
      });
    }),
  );
