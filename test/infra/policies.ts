import type { Template } from "aws-cdk-lib/assertions";
import { tableNames } from "../../lib/dynamo/table.ts";

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
  /** Logical id of the function with this permission; of the role, if no function has it. */
  readonly role: string;
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value);

/** A value or list of values as a list. */
export const list = <T>(value: T | readonly T[]): readonly T[] => (isList(value) ? value : [value]);

/** Every statement of every function, and of every role that no function has. */
export const statements = (template: Template): Statement[] => {
  const functions = Object.entries(template.findResources("AWS::Lambda::Function"));
  const byRole = Map.groupBy(functions, ([, { Properties }]) => String(Properties.Role["Fn::GetAtt"][0]));
  return Object.entries(template.findResources("AWS::IAM::Role")).flatMap(([id, { Properties }]) => {
    const policies: readonly { readonly PolicyDocument: { readonly Statement: readonly Omit<Statement, "role">[] } }[] =
      Properties?.Policies ?? [];
    const holders = byRole.get(id)?.map(([functionId]) => functionId) ?? [id];
    return holders.flatMap((role) =>
      policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement.map((statement) => ({ ...statement, role }))),
    );
  });
};

/** Resources of a statement, each as short text: a table as `rows`, its index as `rows/by-session`. */
export const resources = ({ Resource }: Pick<Statement, "Resource">): string[] =>
  list(Resource).map((resource) => {
    const text = JSON.stringify(resource);
    const table = tableNames.find((name) => new RegExp(`Data${name}[0-9A-F]{8}(?:","|\\.)Arn`, "u").test(text));
    const index = /\/index\/([^"]+)"/u.exec(text)?.[1];
    return table === undefined ? text : [table, index].filter((part) => part !== undefined).join("/");
  });

/** Permissions as sorted text, independent of their order and grouping. */
export const permissionsOf = (statementList: readonly Omit<Statement, "role">[]): string[] =>
  statementList
    .flatMap(({ Effect, Action, Resource, Condition }) =>
      list(Action).flatMap((action) =>
        list(Resource).map((resource) => JSON.stringify([Effect, action, resource, Condition])),
      ),
    )
    .toSorted();
