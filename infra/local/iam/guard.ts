import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Endpoint, listenOnLoopback } from "../host/loopback-server.ts";
import { signatureOf } from "./access-key.ts";
import { isAllowed, type Need } from "./decision.ts";
import { needsOf } from "./needs.ts";
import { restNeeds } from "./rest-needs.ts";
import type { Statement } from "./role-policies.ts";

/** A call that a function's role does not allow. */
export interface Denial {
  readonly functionName: string;
  readonly action: string;
  readonly resource: string;
}

/**
 * Stands before a service and refuses what the calling function's role does not allow, as IAM would.
 *
 * Does not do: signatures, callers that are no functions (they are let through: the runtime's own).
 */
export const startGuard = async (
  service: string,
  policies: ReadonlyMap<string, readonly Statement[]>,
  onDenial: (denial: Denial) => void,
): Promise<Endpoint> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(service);

  const forward = (request: IncomingMessage, body: Buffer, response: ServerResponse): void => {
    const { method, url, headers } = request;
    const onward = send({ agent, hostname, port, method, path: url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(response);
    });
    onward.on("error", () => response.destroy());
    onward.end(body);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const { caller: functionName, service: signedFor } = signatureOf(request.headers.authorization);
    const statements = policies.get(functionName);
    const target = request.headers["x-amz-target"];
    const needs = (): readonly Need[] => {
      const sent = body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
      if (target !== undefined) return needsOf(String(target), sent);
      return restNeeds(signedFor, request.method ?? "GET", new URL(request.url ?? "/", service), sent);
    };
    const denied = statements === undefined ? undefined : needs().find((need) => !isAllowed(statements, need));
    if (denied === undefined) return forward(request, body, response);
    onDenial({ functionName, ...denied });
    const message = `${functionName} is not authorized to perform: ${denied.action} on resource: ${denied.resource}`;
    response.writeHead(400, { "content-type": request.headers["content-type"] ?? "application/json" });
    response.end(JSON.stringify({ __type: "AccessDeniedException", message, Message: message }));
  };

  const endpoint = await listenOnLoopback(
    createServer((request, response) => {
      answer(request, response).catch(() => response.destroy());
    }),
  );
  return {
    url: endpoint.url,
    close: async () => {
      await endpoint.close();
      agent.destroy();
    },
  };
};
