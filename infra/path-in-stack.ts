import { Stack } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Returns the ids from below the stack to a construct; the stack itself may be nested in stages of a pipeline. */
export const pathInStack = (construct: IConstruct): readonly string[] =>
  construct.node.scopes.slice(Stack.of(construct).node.scopes.length).map(({ node }) => node.id);
