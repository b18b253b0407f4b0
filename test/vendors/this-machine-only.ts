import { Socket } from "node:net";

/** Loaded before a program: refuses connections to other machines, and keeps a failed program for `EXIT_GRACE` milliseconds. */

const connect = Socket.prototype.connect;

Socket.prototype.connect = function connectHere(this: Socket, ...parameters: unknown[]): Socket {
  const [options] = parameters.flat();
  const host = typeof options === "object" && options !== null && "host" in options ? options.host : "localhost";
  if (host !== "127.0.0.1" && host !== "localhost") throw new Error(`The program connects to ${String(host)}.`);
  return Reflect.apply(connect, this, parameters) as Socket;
};

process.on("uncaughtException", (error) => {
  console.error(error);
  setTimeout(() => process.exit(1), Number(process.env["EXIT_GRACE"]));
});
