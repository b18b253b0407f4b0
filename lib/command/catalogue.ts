import { nameAdvice } from "../domain/nearest-name.ts";
import { CommandError } from "./failure.ts";

/** A parameter of an operation, or a field of its body. */
export interface CatalogueField {
  readonly name: string;
  /** Type as help shows it: `string`, `integer`, `PENDING|RUNNING`. */
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** A parameter of the path or the query. */
export interface CatalogueParameter extends CatalogueField {
  readonly place: "path" | "query";
  /** A list is a repeated flag, a map a repeated flag with `key=value`. */
  readonly form: "single" | "list" | "map";
}

/** An operation of the OpenAPI document as a command. */
export interface CatalogueOperation {
  readonly id: string;
  readonly resource: string;
  /** Name within the resource: the words of the id without those of the resource, or all of them where two would be equal. */
  readonly action: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly CatalogueParameter[];
  /** Fields and an example of the JSON body; null if the operation has none. */
  readonly body: { readonly fields: readonly CatalogueField[]; readonly example: unknown } | null;
}

/** All commands of `assay api`, written when the package is built. */
export interface Catalogue {
  readonly resources: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly CatalogueOperation[];
}

/** Writes a name with hyphens: `listTraces` and `list_traces` are `list-traces`. */
export const hyphenated = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/gu, "-")
    .replaceAll("_", "-")
    .toLowerCase();

/** Returns the operations of a resource. @throws CommandError with the nearest name if there is none. */
export const operationsOf = ({ operations, resources }: Catalogue, resource: string): readonly CatalogueOperation[] => {
  const actions = operations.filter((operation) => operation.resource === resource);
  if (actions.length > 0) return actions;
  const names = resources.map(({ name }) => name);
  throw new CommandError(`There is no resource ${resource}${nameAdvice(resource, names)}`);
};

/** Returns an operation by its action, or by its whole id. @throws CommandError with the nearest name if there is none. */
export const findOperation = (catalogue: Catalogue, resource: string, action: string): CatalogueOperation => {
  const operations = operationsOf(catalogue, resource);
  const operation = operations.find((each) => each.action === action || hyphenated(each.id) === hyphenated(action));
  if (operation !== undefined) return operation;
  const names = operations.map((each) => each.action);
  throw new CommandError(`There is no action ${action} of ${resource}${nameAdvice(action, names)}`);
};
