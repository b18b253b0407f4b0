import type { Catalogue } from "./catalogue.ts";
import type { Connection } from "./connection.ts";
import type { Flags, ParsedFlags } from "./flags.ts";
import type { Terminal } from "./terminal.ts";

/** What a command works with. */
export interface CommandContext {
  readonly flags: ParsedFlags;
  readonly terminal: Terminal;
  readonly catalogue: () => Catalogue;
  /** Connects to the service. @throws CommandError without an address. */
  readonly connect: () => Connection;
}

/** A command of the command line. */
export interface Command {
  /** Arguments as help shows them: `gate [flags]`. */
  readonly usage: string;
  /** What it does, in one line. */
  readonly summary: string;
  readonly description: string;
  readonly flags: Flags;
  /** Runs the command. @returns the exit code. */
  readonly run: (context: CommandContext) => Promise<number>;
}
