import { connect, createServer, type Socket } from "node:net";
import type { Engine } from "../../../infra/local/dynamodb/engine.ts";
import { engine } from "./engine.ts";

/** A database that can stop answering for a while: it accepts connections and requests but sends no replies. */
export interface SilenceableEngine extends Engine {
  hush(): void;
  /** Resumes answering; requests received in the meantime are lost. */
  speak(): void;
}

export const silenceableEngine = (): SilenceableEngine => {
  let hushed = false;
  const unanswered = new Set<Socket>();

  const passOn = (client: Socket, port: number): void => {
    const database = connect(port, "127.0.0.1");
    client.on("data", (bytes) => {
      if (hushed) unanswered.add(client);
      else database.write(bytes);
    });
    database.on("data", (bytes) => client.write(bytes));
    for (const [source, destination] of [
      [client, database],
      [database, client],
    ] as const) {
      source.on("error", () => undefined);
      source.on("close", () => destination.destroy());
    }
    client.on("close", () => unanswered.delete(client));
  };

  return {
    dataDirectory: (directory) => engine.dataDirectory(directory),

    start: async (...parameters) => {
      const database = await engine.start(...parameters);
      const open = new Set<Socket>();
      const server = createServer((client) => {
        open.add(client);
        client.on("close", () => open.delete(client));
        passOn(client, Number(new URL(database.url).port));
      });
      await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
      const address = server.address();
      if (address === null || typeof address === "string") throw new Error("The database has no port.");
      return {
        ...database,
        url: `http://127.0.0.1:${address.port}`,
        close: async () => {
          for (const client of open) client.destroy();
          await new Promise<void>((closed) => void server.close(() => closed()));
          await database.close();
        },
      };
    },

    hush: () => {
      hushed = true;
    },

    speak: () => {
      hushed = false;
      for (const client of unanswered) client.destroy();
    },
  };
};
