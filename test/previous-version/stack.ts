import type { LocalStack } from "../../infra/local/local-stack.ts";

/** Stands in an assembly for the address of the issuer's keys, which each start chooses anew. */
export const placeholder = "http://127.0.0.1:1/keys-of-the-issuer";

/** The tables of a stack: physical names by the names that its functions know them by. */
export const tablesOf = ({ environments }: Pick<LocalStack, "environments">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    environments
      .flatMap((environment) => Object.entries(environment))
      .filter(([variable]) => variable.startsWith("TABLE_"))
      .map(([variable, name]) => [variable.slice("TABLE_".length).toLowerCase(), name]),
  );
