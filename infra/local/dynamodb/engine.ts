import type { Endpoint } from "../host/loopback-server.ts";
import type { ProcessRegister } from "../host/process-register.ts";

/** A running DynamoDB emulator. */
export interface Database extends Endpoint {
  /** Milliseconds to which creation times of stream records are rounded down; 1000 in DynamoDB itself. */
  readonly streamTimeStep: number;
  /** Repairs shortcomings of the engine's streams. Called once the tables exist, and every ten minutes. */
  repair(): void;
}

/** A program that implements DynamoDB's protocol. The rest of the local runtime does not depend on which engine runs. */
export interface Engine {
  /**
   * Returns the directory for the engine's data and the files that belong to it. Engines cannot read each other's data.
   *
   * @param directory directory of all local data
   */
  dataDirectory(directory: string): string;
  /**
   * Starts the engine on a free loopback port. The engine stops when it is closed and when this process ends, even by `kill -9`.
   *
   * @param isPersistent false if the data may be lost at the end, which can be faster; default true
   * @throws Error with one sentence that names the missing prerequisite.
   */
  start(dataDirectory: string, register: ProcessRegister, isPersistent?: boolean): Promise<Database>;
}
