import type { Template } from "aws-cdk-lib/assertions";

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
  readonly role: string;
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value);

/** A value or list of values as a list. */
export const list = <T>(value: T | readonly T[]): readonly T[] => (isList(value) ? value : [value]);

/** Every statement of every role, with the role's logical id. */
export const statements = (template: Template): Statement[] =>
  Object.entries(template.findResources("AWS::IAM::Role")).flatMap(([role, { Properties }]) => {
    const policies: readonly { readonly PolicyDocument: { readonly Statement: readonly Omit<Statement, "role">[] } }[] =
      Properties?.Policies ?? [];
    return policies.flatMap(({ PolicyDocument }) =>
      PolicyDocument.Statement.map((statement) => ({ ...statement, role })),
    );
  });
