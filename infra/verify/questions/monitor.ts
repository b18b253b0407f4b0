import { getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { withCount, inSeconds } from "../figures.ts";
import { fail, passUnless, type Check } from "../check.ts";
import { newTag } from "../sample-traces.ts";
import { pollUntil } from "../poll-until.ts";

export const monitor: Check = {
  title: "A monitor with a cadence of one minute fires within two minutes, and does not fire while paused",
  run: async (context) => {
    const { project, timeouts, wait } = context;
    // The monitor matches no trace: its runs end at once and cost nothing.
    const body = {
      name: context.projectName,
      target_type: "TRACE" as const,
      metrics: ["task_completion"],
      filters: { tags: [newTag("monitor")] },
      cadence: "cron:* * * * *",
      only_if_changed: false,
    };
    const { id } = await project.client.createMonitor({ body });
    const params = { monitor_id: id };
    const firings = async () => (await project.client.listFirings({ path: params })).items;
    const firstPoll = await pollUntil(context, timeouts.firing, firings, (items) => items.length > 0);
    const [first] = firstPoll.value;
    if (first === undefined) return fail(`it had not fired after ${inSeconds(firstPoll.seconds)}`);
    await project.client.pauseMonitor({ path: params });
    const firingsBeforePause = new Set((await firings()).map(({ scheduled_at }) => scheduled_at));
    await wait(timeouts.quiet);
    const allFirings = await firings();
    const run = first.run_id === null ? null : await project.call(getTraceRun, { params: { run_id: first.run_id } });
    await project.client.deleteMonitor({ path: params });
    const delay = (Date.parse(first.fired_at) - Date.parse(first.scheduled_at)) / 1000;
    const laterFirings = allFirings.filter(({ scheduled_at }) => !firingsBeforePause.has(scheduled_at));
    const duplicates = allFirings.length - new Set(allFirings.map(({ scheduled_at }) => scheduled_at)).size;
    return passUnless(
      [
        ...(first.outcome === "RUN" ? [] : [`the outcome of the firing is ${first.outcome}: ${first.reason}`]),
        ...(run === null || run.status === 200 ? [] : [`its run answered ${run.status}`]),
        ...(duplicates === 0 ? [] : ["it fired twice for one instant"]),
        ...(laterFirings.length === 0
          ? []
          : [`it fired while paused for ${laterFirings.map(({ scheduled_at }) => scheduled_at).join(", ")}`]),
      ],
      `fired ${inSeconds(firstPoll.seconds)} after its creation, ${inSeconds(Math.abs(delay))} ${delay < 0 ? "before" : "after"} the ` +
        `scheduled time; while paused, ${withCount(laterFirings.length, "firing")} in ${Math.round(timeouts.quiet / 1000)} s`,
    );
  },
};
