#!/usr/bin/env node
/** Program `assay` of the npm package. */
import { readFileSync } from "node:fs";
import { nameAdvice } from "../domain/nearest-name.ts";
import { apiCommand } from "./api.ts";
import { type Catalogue, findOperation, operationsOf } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { openConnection, type Connection } from "./connection.ts";
import { doctorCommand } from "./doctor.ts";
import { CommandError, exitCodes, errorSentence } from "./failure.ts";
import { helpText, parseFlags } from "./flags.ts";
import { gateCommand } from "./gate.ts";
import { loginCommand } from "./login.ts";
import { skillCommand } from "./skill.ts";
import { tailCommand } from "./tail.ts";
import { openTerminal, type Terminal } from "./terminal.ts";
import { definitionList, plainLine, wrap } from "./text.ts";

/** Version of the package, inserted when it is built. */
declare const packageVersion: string;

const variables = [
  ["ASSAY_URL", "address of the service"],
  ["ASSAY_API_KEY", "API key; else that of `assay login`"],
  ["ASSAY_PROJECT", "name of the project"],
  ["ASSAY_TOKEN", "bearer token in place of a key; ASSAY_PROJECT is then the project's id"],
  ["NO_COLOR", "no colours"],
] as const;

const codes = [
  ["0", "done; a gate passed"],
  ["1", "a gate failed, or `doctor` found a fault"],
  ["2", "the command was not carried out: wrong arguments, no network, a refused request"],
  ["3", "the data do not decide a gate"],
  ["130", "ended by Ctrl-C"],
] as const;

const readCatalogue = (): Catalogue => JSON.parse(readFileSync(new URL("catalogue.json", import.meta.url), "utf8"));

/** Returns the command that arguments name. @throws CommandError if there is none. */
const commandOf = (name: string, args: readonly string[]): Command => {
  if (name === "api") {
    const [resource, action] = args.filter((arg, index) => !arg.startsWith("-") && index < 2);
    const catalogue = readCatalogue();
    if (resource === undefined) return apiCommand(null, null);
    if (action === undefined) return apiCommand(null, operationsOf(catalogue, resource));
    return apiCommand(findOperation(catalogue, resource, action), null);
  }
  if (name === "tail") return tailCommand(findOperation(readCatalogue(), "traces", "list"));
  const command = otherCommands[name];
  if (command !== undefined) return command;
  throw new CommandError(
    `There is no command ${name}${nameAdvice(name, ["api", "tail", ...Object.keys(otherCommands)])}`,
  );
};

const otherCommands: Readonly<Record<string, Command>> = {
  doctor: doctorCommand,
  login: loginCommand(packageVersion),
  gate: gateCommand,
  skill: skillCommand,
};

/** Most arguments of a command; those that are not named take none. */
const maxArguments: Readonly<Record<string, number>> = { api: Infinity, skill: 1 };

const overview = ({ width }: Terminal): string => {
  const commands = ["api", "tail", ...Object.keys(otherCommands)].map(
    (name) => [name, commandOf(name, []).summary] as const,
  );
  return [
    "Usage: assay COMMAND [flags]",
    definitionList(commands, width),
    wrap(
      "`assay COMMAND --help` shows more. Results are tables on a terminal, and JSON in a pipe or with --json.",
      width,
    ),
    `Environment:\n${definitionList(variables, width)}`,
    `Exit codes:\n${definitionList(codes, width)}`,
  ].join("\n\n");
};

const main = async ([name = "--help", ...args]: readonly string[]): Promise<number> => {
  if (["--help", "-h", "help"].includes(name)) {
    const terminal = openTerminal(false);
    terminal.print(overview(terminal));
    return exitCodes.done;
  }
  if (name === "--version") {
    openTerminal(false).print(packageVersion);
    return exitCodes.done;
  }
  let connection: Connection | null = null;
  try {
    const command = commandOf(name, args);
    const flags = parseFlags([name, ...args], command.flags);
    const terminal = openTerminal(flags.values["json"] === true);
    if (flags.values["help"] === true && name !== "api") {
      terminal.print(helpText(command.usage, command.description, command.flags, terminal.width));
      return exitCodes.done;
    }
    const surplus = flags.positionals[1 + (maxArguments[name] ?? 0)];
    if (surplus !== undefined) throw new CommandError(`${name} does not take the argument ${surplus}.`);
    return await command.run({
      flags,
      terminal,
      catalogue: readCatalogue,
      connect: () => (connection = openConnection(flags)),
    });
  } catch (error) {
    openTerminal(false).note(plainLine(errorSentence(error, (connection as Connection | null)?.url ?? null)));
    return exitCodes.trouble;
  }
};

process.exitCode = await main(process.argv.slice(2));
