import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { type Endpoint, listenOnLoopback } from "../host/loopback-server.ts";
import type { Functions } from "./functions.ts";

const path = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/**
 * Lambda's REST API: `Invoke`, and waits for the reply.
 *
 * Does not do: asynchronous calls, dry runs, qualifiers, tails of logs, everything else. Functions are started after the services
 * they reach, this one among them: they are asked for when the first call comes.
 */
export const startLambdaApi = (functions: () => Functions): Promise<Endpoint> => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, name] = path.exec(request.url ?? "") ?? [];
    if (request.method !== "POST" || name === undefined) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ Message: "The local Lambda does nothing but Invoke." }));
      return;
    }
    const outcome = await functions().invoke(decodeURIComponent(name), await json(request));
    const failed = outcome.error !== undefined;
    response.writeHead(200, {
      "content-type": "application/json",
      ...(failed && { "x-amz-function-error": "Unhandled" }),
    });
    response.end(failed ? JSON.stringify(outcome.error) : outcome.payload);
  };

  return listenOnLoopback(
    createServer((request, response) => {
      answer(request, response).catch((error: unknown) => {
        response.writeHead(500, { "content-type": "application/json", "x-amzn-errortype": "ServiceException" });
        response.end(JSON.stringify({ Message: error instanceof Error ? error.message : "unknown" }));
      });
    }),
  );
};
