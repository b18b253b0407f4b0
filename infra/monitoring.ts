import { CfnScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import { Construct } from "constructs";

/** The group that holds the schedules of monitors, one stack's apart from another's. */
export class Monitoring extends Construct {
  readonly schedules: CfnScheduleGroup;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.schedules = new CfnScheduleGroup(this, "Schedules");
  }
}
