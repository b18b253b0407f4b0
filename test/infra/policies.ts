import type { Template } from "aws-cdk-lib/assertions";

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

/** Permissions as sorted text, independent of their order and grouping. */
export const permissionsOf = (statementList: readonly Omit<Statement, "role">[]): string[] =>
  statementList
    .flatMap(({ Effect, Action, Resource, Condition }) =>
      list(Action).flatMap((action) =>
        list(Resource).map((resource) => JSON.stringify([Effect, action, resource, Condition])),
      ),
    )
    .toSorted();
