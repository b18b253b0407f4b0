import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Something that answers on 127.0.0.1 until it is closed. */
export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Makes a server listen on 127.0.0.1.
 *
 * @throws Error saying which port is taken, in words for whoever typed `npm start`.
 */
export const listenOnLoopback = async (server: Server, port = 0): Promise<Endpoint> => {
  await new Promise<void>((listening, failed) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      failed(taken ? new Error(`Port ${port} is in use. Choose another one with PORT=<number> npm start.`) : error);
    });
    server.listen(port, "127.0.0.1", listening);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((closed) => void server.close(() => closed()));
    },
  };
};

/** A port that was free a moment ago, for programs that must be told one. */
export const freePort = async (): Promise<number> => {
  const endpoint = await listenOnLoopback(createServer());
  await endpoint.close();
  return Number(new URL(endpoint.url).port);
};
