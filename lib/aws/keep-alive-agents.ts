import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";

/** More than any function has calls under way: judge workers work on 20 targets at a time. */
const mostConnections = 50;

/** Agents that keep connections for the next request. */
export interface KeepAliveAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
  /** Closes what was unused for too long. */
  readonly closeIdle: () => void;
}

/**
 * Makes agents whose connections are not used again blindly: the other side may have closed one while the sandbox was
 * frozen, and nobody could say so.
 *
 * @param idle milliseconds that a connection may have been unused, by the wall clock: timers stand still in a frozen sandbox.
 */
export const keepAliveAgents = (idle: number): KeepAliveAgents => {
  const unusedSince = new WeakMap<object, number>();

  const noting = <Agent extends HttpAgent>(agent: Agent): Agent => {
    const keep = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket) => {
      unusedSince.set(socket, Date.now());
      return keep(socket);
    };
    return agent;
  };

  const options = { keepAlive: true, maxSockets: mostConnections };
  const [httpAgent, httpsAgent] = [noting(new HttpAgent(options)), noting(new HttpsAgent(options))];
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
