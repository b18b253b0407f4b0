import type { Endpoint } from "../host/loopback-server.ts";
import type { ProcessRegister } from "../host/process-register.ts";

/** A DynamoDB that runs on this machine. */
export interface Database extends Endpoint {
  /** What the streams' creation times are rounded down to, in milliseconds; DynamoDB's own are to a second. */
  readonly streamTimeStep: number;
  /** Mends what the streams of this engine lack: once its tables are there, and every few minutes. */
  repair(): void;
}

/** A program that speaks DynamoDB's protocol. Nothing else of the runtime knows which one it is. */
export interface Engine {
  /**
   * Where its rows are kept, and everything that belongs to them: one engine cannot read another's.
   *
   * @param directory of all local data
   */
  dataDirectory(directory: string): string;
  /**
   * Starts it on a free loopback port. It ends when it is closed, and when this process does, however that ends.
   *
   * @param lasts whether its rows are there at the next start; it may be quicker when they need not be
   * @throws Error with one sentence that says what is missing.
   */
  start(dataDirectory: string, register: ProcessRegister, lasts?: boolean): Promise<Database>;
}
