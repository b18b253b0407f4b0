import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Endpoint, listenOnLoopback } from "../host/loopback-server.ts";
import { signatureOf } from "./access-key.ts";
import { isAllowed, type RequiredPermission } from "./decision.ts";
import { jsonCallPermissions } from "./json-permissions.ts";
import { restCallPermissions, type TagsOf } from "./rest-permissions.ts";
import type { Statement } from "./role-policies.ts";

/** An AWS call that was refused, because the function's role does not allow it. */
export interface Denial {
  readonly functionName: string;
  readonly action: string;
  readonly resource: string;
}

/**
 * Starts a proxy in front of an emulated AWS service that refuses calls which the calling function's role does not allow.
 *
 * Not supported: signature checks. Calls of the local runtime itself, whose callers are not functions, are always allowed.
 *
 * @param service URL of the service
 * @param policies policy statements by function name
 * @param tagsOf tags of API Gateway's resources; none if absent
 */
export const startGuard = async (
  service: string,
  policies: ReadonlyMap<string, readonly Statement[]>,
  onDenial: (denial: Denial) => void,
  tagsOf?: TagsOf,
): Promise<Endpoint> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(service);

  const forward = (request: IncomingMessage, body: Buffer, response: ServerResponse): void => {
    const { method, url, headers } = request;
    const forwarded = send({ agent, hostname, port, method, path: url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    forwarded.end(body);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const { caller: functionName, service: signingName } = signatureOf(request.headers.authorization);
    const statements = policies.get(functionName);
    const target = request.headers["x-amz-target"];
    const requiredPermissions = (): readonly RequiredPermission[] => {
      // Files of S3 are no JSON.
      const parsedBody = body.length === 0 || signingName === "s3" ? {} : JSON.parse(body.toString("utf8"));
      if (target !== undefined) return jsonCallPermissions(String(target), parsedBody);
      return restCallPermissions(
        signingName,
        request.method ?? "GET",
        new URL(request.url ?? "/", service),
        parsedBody,
        tagsOf,
      );
    };
    const deniedPermission =
      statements === undefined
        ? undefined
        : requiredPermissions().find((permission) => !isAllowed(statements, permission));
    if (deniedPermission === undefined) return forward(request, body, response);
    onDenial({ functionName, action: deniedPermission.action, resource: deniedPermission.resource });
    const message = `${functionName} is not authorized to perform: ${deniedPermission.action} on resource: ${deniedPermission.resource}`;
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
