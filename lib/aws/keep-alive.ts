import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";

/** HTTP agents that keep connections open for the next request. */
export interface KeepAliveAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
  /** Closes connections whose idle time is too long. */
  readonly closeIdle: () => void;
}

/**
 * Creates HTTP agents that can close idle connections before a request. The server may have closed one while the Lambda sandbox
 * was frozen, which the agent does not notice.
 *
 * @param idle longest idle time of a connection, milliseconds by the wall clock, because timers stop in a frozen sandbox.
 * @param maxSockets connections per agent and server.
 */
export const keepAliveAgents = (idle: number, maxSockets: number): KeepAliveAgents => {
  const unusedSince = new WeakMap<object, number>();

  const withIdleTracking = <Agent extends HttpAgent>(agent: Agent): Agent => {
    const keepSocketAlive = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket) => {
      unusedSince.set(socket, Date.now());
      return keepSocketAlive(socket);
    };
    return agent;
  };

  const options = { keepAlive: true, maxSockets };
  const [httpAgent, httpsAgent] = [withIdleTracking(new HttpAgent(options)), withIdleTracking(new HttpsAgent(options))];
  return {
    httpAgent,
    httpsAgent,
    closeIdle: () => {
      const at = Date.now();
      for (const { freeSockets } of [httpAgent, httpsAgent])
        for (const socket of Object.values(freeSockets).flatMap((sockets) => sockets ?? []))
          if (at - (unusedSince.get(socket) ?? at) > idle) socket.destroy();
    },
  };
};
