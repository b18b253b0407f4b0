import type { CallInput } from "../client/request.ts";
import type { CallOptions, Client } from "../client/client.ts";
import { type CatalogueOperation, type CatalogueParameter, hyphenated } from "./catalogue.ts";
import type { Command, CommandContext } from "./command.ts";
import { CommandError, exitCodes } from "./failure.ts";
import {
  commonFlags,
  type Flags,
  flagText,
  flagTexts,
  helpText,
  jsonSwitch,
  type ParsedFlags,
  switchFlag,
  textFlag,
} from "./flags.ts";
import { readJson } from "./json-argument.ts";
import { printItems, printReply } from "./terminal.ts";
import { definitionList } from "./text.ts";

/** Items that `--all` prints at a time. */
const pageSize = 100;

const isBoolean = ({ type }: CatalogueParameter): boolean => type === "boolean";

const queryOf = ({ parameters }: CatalogueOperation): readonly CatalogueParameter[] =>
  parameters.filter(({ place }) => place === "query");

/** Returns the flags of an operation's query parameters. */
export const queryFlags = (operation: CatalogueOperation): Flags =>
  Object.fromEntries(
    queryOf(operation).map((parameter) => [
      hyphenated(parameter.name),
      {
        type: isBoolean(parameter) ? "boolean" : "string",
        multiple: parameter.form !== "single",
        value: parameter.form === "map" ? "KEY=VALUE" : parameter.type.replace(/\[\]$/u, ""),
        description: parameter.description,
      },
    ]),
  );

/** Returns the query of a call from its flags. @throws CommandError if a value of a map has no key. */
export const queryFrom = (operation: CatalogueOperation, flags: ParsedFlags): NonNullable<CallInput["query"]> =>
  Object.fromEntries(
    queryOf(operation).flatMap(({ name, form }) => {
      const flag = hyphenated(name);
      const value = flags.values[flag];
      if (form === "single") return typeof value === "string" || typeof value === "boolean" ? [[name, value]] : [];
      const texts = flagTexts(flags, flag);
      if (texts.length === 0) return [];
      if (form === "list") return [[name, texts]];
      const pairs = texts.map((text) => /^(?<key>[^=]+)=(?<value>.*)$/su.exec(text)?.groups);
      if (pairs.includes(undefined)) throw new CommandError(`--${flag} must be KEY=VALUE.`);
      return [[name, Object.fromEntries(pairs.map((pair) => [pair?.["key"], pair?.["value"]]))]];
    }),
  );

const flagsOf = (operation: CatalogueOperation): Flags => ({
  ...queryFlags(operation),
  ...("limit" in queryFlags(operation) && {
    all: switchFlag("Reads all pages; in a pipe one line of JSON for each item."),
  }),
  json:
    operation.body === null
      ? jsonSwitch
      : textFlag("BODY", "Body in JSON: the text itself, @FILE, or - for standard input."),
  "idempotency-key": textFlag("KEY", "Makes a POST that is sent again run only once."),
  ...commonFlags,
});

const pathNames = ({ parameters }: CatalogueOperation): readonly string[] =>
  parameters.filter(({ place }) => place === "path").map(({ name }) => name);

const operationHelp = (operation: CatalogueOperation, width: number): string => {
  const { resource, action, summary, description, body } = operation;
  const words = ["api", resource, action, ...pathNames(operation).map((name) => name.toUpperCase())];
  const usage = [...words, ...(body === null ? [] : ["--json BODY"]), "[flags]"].join(" ");
  const fields = (body?.fields ?? []).map(({ name, type, isRequired, description: text }) => {
    const facts = `${type}${isRequired ? ", required" : ""}`;
    return [name, text === "" ? facts : `${facts}. ${text}`] as const;
  });
  return [
    helpText(usage, `${summary}. ${description}`, flagsOf(operation), width),
    ...(fields.length === 0 ? [] : [`Fields of the body:\n${definitionList(fields, width)}`]),
    ...(body === null ? [] : [`Example of the body:\n${JSON.stringify(body.example, null, 2)}`]),
  ].join("\n\n");
};

const overview = ({ catalogue, terminal: { width } }: CommandContext): string => {
  const { resources, operations } = catalogue();
  const rows = resources.map(({ name }) => {
    const actions = operations.filter(({ resource }) => resource === name).map(({ action }) => action);
    return [name, actions.join(", ")] as const;
  });
  return `Usage: assay api RESOURCE ACTION [flags]\n\n${definitionList(rows, width)}`;
};

const resourceHelp = (operations: readonly CatalogueOperation[], width: number): string => {
  const rows = operations.map(({ action, summary }) => [action, summary] as const);
  return `Usage: assay api ${operations[0]?.resource} ACTION [flags]\n\n${definitionList(rows, width)}`;
};

type Methods = Readonly<Record<string, (input: CallInput, options: CallOptions) => Promise<unknown>>>;
type Generators = Readonly<Record<string, (input: CallInput) => AsyncGenerator<object>>>;

const printAll = async (
  { terminal }: CommandContext,
  client: Client,
  { id }: CatalogueOperation,
  input: CallInput,
): Promise<void> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the catalogue has the ids of the client's operations.
  const items = (client.each as unknown as Generators)[id]?.(input) ?? [];
  let [part, count]: [object[], number] = [[], 0];
  for await (const item of items) {
    count += 1;
    if (part.push(item) < pageSize) continue;
    printItems(terminal, part);
    terminal.progress(`${count} items …`);
    part = [];
  }
  printItems(terminal, part);
};

/** Calls an operation as its arguments say, and prints the reply. */
const call = async (
  context: CommandContext,
  operation: CatalogueOperation,
  ids: readonly string[],
): Promise<number> => {
  const { flags, terminal, connect } = context;
  const { url, client } = connect();
  const names = pathNames(operation);
  if (ids.length !== names.length) {
    const list = names.map((name) => name.toUpperCase()).join(" ") || "no argument";
    const refusedIds = ids.length === 0 ? "" : `, not ${ids.join(" ")}`;
    throw new CommandError(`${operation.action} takes ${list}${refusedIds}.`);
  }
  const body = flagText(flags, "json");
  const input = {
    path: Object.fromEntries(names.map((name, index) => [name, ids[index] ?? ""])),
    query: queryFrom(operation, flags),
    body: body === undefined ? undefined : readJson(body),
  };
  if (flags.values["all"] === true) {
    await printAll(context, client, operation, input);
    return exitCodes.done;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the catalogue has the ids of the client's operations.
  const method = (client as unknown as Methods)[operation.id];
  const reply = await method?.(input, { idempotencyKey: flagText(flags, "idempotency-key") });
  if (reply === null) throw new CommandError(`${url} did not reply with JSON: it may not be the address of Assay.`);
  printReply(terminal, reply);
  return exitCodes.done;
};

/** Runs `assay api`: its arguments name the operation, whose flags are known only then. */
export const apiCommand = (
  operation: CatalogueOperation | null,
  operations: readonly CatalogueOperation[] | null,
): Command => ({
  usage: "api RESOURCE ACTION [flags]",
  summary: "calls an operation of the API",
  description: "",
  flags: operation === null ? commonFlags : flagsOf(operation),
  run: async (context) => {
    const { terminal, flags } = context;
    if (operation !== null && flags.values["help"] !== true)
      return call(context, operation, flags.positionals.slice(3));
    if (operation !== null) terminal.print(operationHelp(operation, terminal.width));
    else terminal.print(operations === null ? overview(context) : resourceHelp(operations, terminal.width));
    return exitCodes.done;
  },
});
