import { required, variables } from "./environment.ts";
import { monitorSchedules, schedulerClient, type Schedules } from "../monitors/schedules.ts";

/** Creates the client of the monitors' EventBridge schedules. @throws Error with the name of a missing variable. */
export const environmentSchedules = (): Schedules =>
  monitorSchedules(
    {
      group: required(variables.scheduleGroup),
      roleArn: required(variables.scheduleRole),
      queueArn: required(variables.firingQueueArn),
      deadLettersArn: required(variables.firingDeadLettersArn),
    },
    schedulerClient(),
  );
