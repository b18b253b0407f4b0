import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Reply } from "./reply.ts";

/** Wire format of a foreign protocol such as OTLP: decodes request bodies and encodes replies. */
export interface WireFormat {
  /** Decodes the body of a request for the route's schema. @throws Refusal when the body is malformed. */
  read(event: APIGatewayProxyEvent): unknown;
  /** Encodes a reply of the service in the protocol's form. */
  write(event: APIGatewayProxyEvent, reply: Reply): Reply;
}
