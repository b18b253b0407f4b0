import { functionOf } from "./access-key.ts";
import { isAllowed } from "./decision.ts";
import { jsonCallPermissions } from "./json-permissions.ts";
import type { Statement } from "./role-policies.ts";

/** Services that stand behind guards, for callers that check their own calls. */
export interface GuardedServices {
  /** Ports of services by the ports of their guards. */
  readonly ports: ReadonlyMap<number, number>;
  /** Policy statements by function name. */
  readonly policies: ReadonlyMap<string, readonly Statement[]>;
}

/** A call of an AWS JSON protocol, as its sender sees it. */
export interface OutgoingCall {
  /** Access key id of the caller. */
  readonly accessKeyId: string;
  /** Value of the header `X-Amz-Target`; undefined for other protocols. */
  readonly target: string | undefined;
  readonly body: unknown;
  readonly port: number | undefined;
}

/** Returns the port of the service behind a guard if the caller's role allows the call. Otherwise undefined: the guard has to answer. */
export const directPort = (
  { ports, policies }: GuardedServices,
  { accessKeyId, target, body, port }: OutgoingCall,
): number | undefined => {
  const statements = policies.get(functionOf(accessKeyId));
  if (statements === undefined || target === undefined || port === undefined || !(body instanceof Uint8Array))
    return undefined;
  const parsedBody = JSON.parse(Buffer.from(body).toString()) as Readonly<Record<string, unknown>>;
  const permissions = jsonCallPermissions(target, parsedBody);
  return permissions.every((permission) => isAllowed(statements, permission)) ? ports.get(port) : undefined;
};
