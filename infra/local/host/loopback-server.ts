import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on 127.0.0.1 that runs until it is closed. */
export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

const isInUse = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EADDRINUSE";

const listen = async (server: Server, port: number): Promise<Endpoint> => {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
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

/** Ports below those that Linux (from 32,768), macOS and Windows (from 49,152) give to outgoing connections. */
const serverPorts = { lowest: 10_000, count: 17_768 } as const;

/** Ports for programs, which may take long to listen: no server of any process takes one of them meanwhile. */
const programPorts = { lowest: 27_768, count: 5_000 } as const;

type PortRange = typeof serverPorts | typeof programPorts;

const randomPort = ({ lowest, count }: PortRange): number => lowest + Math.floor(Math.random() * count);

/**
 * Makes a server listen on 127.0.0.1; port 0 is any free port that no outgoing connection takes, so that it is still free when a
 * restarted server wants it again.
 *
 * @param nextPort returns the next port to try for port 0.
 * @throws Error that names the port when the port is in use.
 */
export const listenOnLoopback = async (
  server: Server,
  port = 0,
  nextPort = () => randomPort(serverPorts),
): Promise<Endpoint> => {
  for (;;) {
    try {
      return await listen(server, port === 0 ? nextPort() : port);
    } catch (error) {
      if (!isInUse(error)) throw error;
      if (port !== 0)
        throw new Error(`Port ${port} is in use. Choose another port: PORT=<number> npm start.`, { cause: error });
    }
  }
};

/** Finds a free port for a program that needs a port number. A program that chose it otherwise could take it first. */
export const freePort = async (): Promise<number> => {
  const endpoint = await listenOnLoopback(createServer(), 0, () => randomPort(programPorts));
  await endpoint.close();
  return Number(new URL(endpoint.url).port);
};
