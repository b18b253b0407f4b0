import type { Construct } from "constructs";
import { ServiceFunction, type StackParts, type WorkerProps } from "./service-function.ts";

/** A function that nobody calls over HTTP. It knows what its failure means, for the alarm that tells it. */
export class Worker extends ServiceFunction {
  readonly impact: string;

  constructor(scope: Construct, id: string, parts: StackParts, props: WorkerProps) {
    super(scope, id, parts, props);
    this.impact = props.impact;
  }

  /** The name that its function's begins with, behind the stack's: `EvaluationDispatchRun`. */
  get shortName(): string {
    return this.node.path
      .split("/")
      .slice(1)
      .join("")
      .replace(/Worker$/u, "");
  }
}
