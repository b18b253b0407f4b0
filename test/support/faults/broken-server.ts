import { createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** Reacts to a received request. @param requests number of requests received so far, this one included. */
export type ServerBehaviour = (socket: Socket, requests: number) => unknown;

/** Starts a reply of 1,000 bytes and sends half of it. */
const half = (socket: Socket): void => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
  socket.write(`{"Item":"${"x".repeat(491)}`);
};

/** Sends an empty DynamoDB reply and keeps the connection open. */
export const sendEmptyReply = (socket: Socket): void => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n\r\n{}");
};

/** Behaviours of a broken server. */
export const brokenBehaviours = {
  /** Accepts requests and never replies. */
  silent: () => undefined,
  /** Sends half of a reply and then nothing. */
  stalling: half,
  /** Sends a reply byte by byte, fast enough to avoid idle time-outs. */
  dripping: async (socket) => {
    half(socket);
    while (!socket.destroyed) {
      socket.write("x");
      await wait(50);
    }
  },
  /** Resets the connection in the middle of a reply. */
  resetting: async (socket) => {
    half(socket);
    await wait(20);
    socket.resetAndDestroy();
  },
} as const satisfies Record<string, ServerBehaviour>;

/** A server on 127.0.0.1 with a broken behaviour. */
export interface BrokenServer {
  readonly url: string;
  /** Number of accepted connections. */
  readonly connections: number;
  /** Number of received requests. */
  readonly requests: number;
  close(): Promise<void>;
}

/** Starts a broken server on a free port. */
export const startBrokenServer = async (conduct: ServerBehaviour): Promise<BrokenServer> => {
  const open = new Set<Socket>();
  let [connections, requests] = [0, 0];
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (!received.includes("\r\n\r\n")) return;
      // The rest of a request's body may arrive separately and is not counted as a request.
      const startsRequest = /^(?:GET|POST|PUT|DELETE|PATCH) /u.test(received);
      received = "";
      if (!startsRequest) return;
      requests += 1;
      void conduct(socket, requests);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    get connections() {
      return connections;
    },
    get requests() {
      return requests;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((closed) => void server.close(() => closed()));
    },
  };
};
