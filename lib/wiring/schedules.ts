import { required, variables } from "./environment.ts";
import { monitorSchedules, schedulerClient, type Schedules } from "../monitors/schedules.ts";

/** The schedules of this stack's monitors, as infrastructure has set them up. @throws Error naming what is not set. */
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
