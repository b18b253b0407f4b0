import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on 127.0.0.1 that runs until it is closed. */
export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Makes a server listen on 127.0.0.1; port 0 is any free port.
 *
 * @throws Error that names the port when the port is in use.
 */
export const listenOnLoopback = async (server: Server, port = 0): Promise<Endpoint> => {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isPortInUse = error.code === "EADDRINUSE";
      reject(isPortInUse ? new Error(`Port ${port} is in use. Choose another port: PORT=<number> npm start.`) : error);
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((closed) => void server.close(() => closed()));
    },
  };
};

/** Finds a free port for a program that needs a port number. Another process could take the port before the program does. */
export const freePort = async (): Promise<number> => {
  const endpoint = await listenOnLoopback(createServer());
  await endpoint.close();
  return Number(new URL(endpoint.url).port);
};
