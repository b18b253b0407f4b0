import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { monitorSchedules, type Schedules } from "../../../lib/monitors/schedules.ts";
import { variables } from "../../../lib/wiring/environment.ts";
import type { RunningService } from "./service.ts";

/** Location of a running service's monitor schedules; serializable, to be passed to other processes. */
export interface Scheduling {
  readonly url: string;
  readonly group: string;
}

/** Location of a running service's monitor schedules. */
export const schedulingOf = ({ stack }: RunningService): Scheduling => {
  const group = stack.environments.flatMap((environment) => environment[variables.scheduleGroup] ?? [])[0];
  if (group === undefined) throw new Error("No function uses the group of schedules.");
  return { url: stack.endpoints.SCHEDULER, group };
};

/** The schedules of a running service, for reading and removal only. */
export const schedulesAt = ({ url, group }: Scheduling): Pick<Schedules, "remove" | "page"> =>
  monitorSchedules(
    { group, roleArn: "none", queueArn: "none", deadLettersArn: "none" },
    new SchedulerClient(localClient(url)),
  );

/** Ids of the projects that have monitor schedules. */
export const scheduledProjects = async (schedules: Pick<Schedules, "page">): Promise<readonly string[]> => {
  const projects: string[] = [];
  for (let from: string | null = null; ;) {
    const { monitors, next }: Awaited<ReturnType<Schedules["page"]>> = await schedules.page(from);
    projects.push(...monitors.map(({ project }) => project));
    if (next === null) return projects;
    from = next;
  }
};
