import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { type Endpoint, listenOnLoopback } from "../host/loopback-server.ts";
import type { AsynchronousInvoker } from "./asynchronous-calls.ts";
import type { Functions } from "./functions.ts";

const path = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
const mappingPath = /^\/2015-03-31\/event-source-mappings\/([^/]+)$/;

/**
 * Starts Lambda's REST API with the operation `Invoke`, and with `GetEventSourceMapping`: local mappings are always switched on.
 *
 * Not supported: dry runs, qualifiers, log tails, all other operations.
 *
 * @param functions getter of the functions, which start after the services that they call, including this one
 * @param calls getter of their asynchronous invocation
 */
export const startLambdaApi = (
  functions: () => Functions,
  calls: () => Pick<AsynchronousInvoker, "send">,
): Promise<Endpoint> => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, mapping] = mappingPath.exec(request.url ?? "") ?? [];
    if (request.method === "GET" && mapping !== undefined) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ UUID: decodeURIComponent(mapping), State: "Enabled" }));
      return;
    }
    const [, name] = path.exec(request.url ?? "") ?? [];
    if (request.method !== "POST" || name === undefined) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ Message: "The local Lambda supports only Invoke and GetEventSourceMapping." }));
      return;
    }
    if (request.headers["x-amz-invocation-type"] === "Event") {
      calls().send(decodeURIComponent(name), await json(request));
      response.writeHead(202).end();
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
