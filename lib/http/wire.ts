import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Reply } from "./reply.ts";

/** How a protocol that is not ours puts requests and replies into bytes. */
export interface Wire {
  /** The value of a request's body, to be parsed by the route's schema. @throws Refusal when it cannot be read. */
  read(event: APIGatewayProxyEvent): unknown;
  /** A reply in the protocol's form, given in ours. */
  write(event: APIGatewayProxyEvent, reply: Reply): Reply;
}
