import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { monitorSchedules, type Schedules } from "../../../lib/monitors/schedules.ts";
import { variables } from "../../../lib/wiring/environment.ts";
import type { RunningService } from "./service.ts";

/** Where a running service keeps the schedules of its monitors: plain data, so that it can be handed to other processes. */
export interface Scheduling {
  readonly url: string;
  readonly group: string;
}

/** Where a running service keeps the schedules of its monitors. */
export const schedulingOf = ({ stack }: RunningService): Scheduling => {
  const group = stack.environments.flatMap((environment) => environment[variables.scheduleGroup] ?? [])[0];
  if (group === undefined) throw new Error("No function uses the group of schedules.");
  return { url: stack.endpoints.SCHEDULER, group };
};

/** The schedules of a running service, to look at and to remove: what one makes would lead nowhere. */
export const schedulesAt = ({ url, group }: Scheduling): Pick<Schedules, "remove" | "page"> =>
  monitorSchedules(
    { group, roleArn: "none", queueArn: "none", deadLettersArn: "none" },
    new SchedulerClient(localClient(url)),
  );

/** The projects of which a monitor has schedules. */
export const scheduledProjects = async (schedules: Pick<Schedules, "page">): Promise<readonly string[]> => {
  const found: string[] = [];
  for (let from: string | null = null; ;) {
    const { monitors, next }: Awaited<ReturnType<Schedules["page"]>> = await schedules.page(from);
    found.push(...monitors.map(({ project }) => project));
    if (next === null) return found;
    from = next;
  }
};
