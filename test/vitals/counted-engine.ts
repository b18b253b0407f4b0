import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { chooseEngine } from "../../infra/local/dynamodb/choose-engine.ts";
import type { Engine } from "../../infra/local/dynamodb/engine.ts";
import { listenOnLoopback } from "../../infra/local/host/loopback-server.ts";
import { signatureOf } from "../../infra/local/iam/access-key.ts";
import { unitsOf } from "../bench/capacity.ts";

/** A request to DynamoDB with its reported capacity units. */
export interface CountedRequest {
  /** Name of the function that signed the request; another text for requests of the runtime. */
  readonly caller: string;
  readonly read: number;
  readonly write: number;
}

/** Data requests, which are billed by capacity units, unlike the runtime's requests about tables and streams. */
const billed = /\.(?:Batch|Transact)?(?:Get|Put|Update|Delete|Write)Items?$|\.(?:Query|Scan)$/u;

/** A database engine that reports every request, through a proxy that adds latency. */
export const countedEngine = (count: (request: CountedRequest) => void): Engine => {
  const engine = chooseEngine(process.env["DYNAMODB"]);
  return {
    dataDirectory: engine.dataDirectory,
    start: async (...place) => {
      const database = await engine.start(...place);

      const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        const target = String(request.headers["x-amz-target"]);
        const operation = target.split(".").at(-1) ?? "";
        const requestBody = await buffer(request);
        const isBilled = billed.test(target);
        const body = isBilled
          ? JSON.stringify({ ...JSON.parse(requestBody.toString()), ReturnConsumedCapacity: "INDEXES" })
          : requestBody;
        const reply = await fetch(database.url, {
          method: "POST",
          headers: {
            "content-type": String(request.headers["content-type"]),
            "x-amz-target": target,
            authorization: String(request.headers.authorization),
            "x-amz-date": String(request.headers["x-amz-date"]),
          },
          body,
        });
        const text = await reply.text();
        if (isBilled) {
          const { caller } = signatureOf(request.headers.authorization);
          count({ caller, ...unitsOf(operation, JSON.parse(text)) });
        }
        response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
        response.end(text);
      };

      const proxy = await listenOnLoopback(
        createServer((request, response) => {
          answer(request, response).catch(() => response.destroy());
        }),
      );
      return {
        ...database,
        url: proxy.url,
        close: async () => {
          await proxy.close();
          await database.close();
        },
      };
    },
  };
};
