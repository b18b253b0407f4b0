import { createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** What a server does with a request that has arrived; is told how many there have been, this one included. */
export type Conduct = (socket: Socket, made: number) => unknown;

/** Begins an answer of 1,000 bytes, and sends half of them. */
const half = (socket: Socket): void => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
  socket.write(`{"Item":"${"x".repeat(491)}`);
};

/** Answers like DynamoDB that has nothing, and keeps the connection. */
export const answered = (socket: Socket): void => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n\r\n{}");
};

/** How a server may break. */
export const conducts = {
  /** Accepts and never answers. */
  silent: () => undefined,
  /** Sends half of its answer and goes silent. */
  stalling: half,
  /** Sends its answer byte by byte, each before anybody loses patience with it. */
  dripping: async (socket) => {
    half(socket);
    while (!socket.destroyed) {
      socket.write("x");
      await wait(50);
    }
  },
  /** Resets the connection in the middle of its answer. */
  resetting: async (socket) => {
    half(socket);
    await wait(20);
    socket.resetAndDestroy();
  },
} as const satisfies Record<string, Conduct>;

/** A server that breaks as it is told. */
export interface BrokenServer {
  readonly url: string;
  /** Connections there have been, ... */
  readonly connections: number;
  /** ... and requests on them. */
  readonly requests: number;
  close(): Promise<void>;
}

/** Starts one on a free port. */
export const startBrokenServer = async (conduct: Conduct): Promise<BrokenServer> => {
  const open = new Set<Socket>();
  let [connections, requests] = [0, 0];
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (!received.includes("\r\n\r\n")) return;
      // The rest of a body may come in another piece: it is no request of its own.
      const begun = /^(?:GET|POST|PUT|DELETE|PATCH) /u.test(received);
      received = "";
      if (!begun) return;
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
