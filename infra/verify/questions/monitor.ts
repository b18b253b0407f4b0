import { getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { counted, inSeconds } from "../figures.ts";
import { fails, judged, type Question } from "../question.ts";
import { newTag } from "../sample-traces.ts";
import { until } from "../until.ts";

export const monitor: Question = {
  title: "A monitor of every minute fires within two minutes, and once paused it does not",
  ask: async (scene) => {
    const { project, patience, wait } = scene;
    // It finds no trace: its runs end at once and cost nothing.
    const order = {
      name: scene.projectName,
      target_type: "TRACE" as const,
      metrics: ["task_completion"],
      filters: { tags: [newTag("monitor")] },
      cadence: "cron:* * * * *",
      only_if_changed: false,
    };
    const { id } = await project.client.createMonitor({ body: order });
    const params = { monitor_id: id };
    const firings = async () => (await project.client.listFirings({ path: params })).items;
    const fired = await until(scene, patience.firing, firings, (items) => items.length > 0);
    const [first] = fired.found;
    if (first === undefined) return fails(`it had not fired after ${inSeconds(fired.seconds)}`);
    await project.client.pauseMonitor({ path: params });
    const known = new Set((await firings()).map(({ scheduled_at }) => scheduled_at));
    await wait(patience.quiet);
    const all = await firings();
    const run = first.run_id === null ? null : await project.call(getTraceRun, { params: { run_id: first.run_id } });
    await project.client.deleteMonitor({ path: params });
    const late = (Date.parse(first.fired_at) - Date.parse(first.scheduled_at)) / 1000;
    const more = all.filter(({ scheduled_at }) => !known.has(scheduled_at));
    const twice = all.length - new Set(all.map(({ scheduled_at }) => scheduled_at)).size;
    return judged(
      [
        ...(first.outcome === "RUN" ? [] : [`its firing is ${first.outcome}: ${first.reason}`]),
        ...(run === null || run.status === 200 ? [] : [`its run answered ${run.status}`]),
        ...(twice === 0 ? [] : ["it fired twice for one instant"]),
        ...(more.length === 0
          ? []
          : [`paused it fired for ${more.map(({ scheduled_at }) => scheduled_at).join(", ")}`]),
      ],
      `seen ${inSeconds(fired.seconds)} after it was made, ${inSeconds(Math.abs(late))} ${late < 0 ? "before" : "after"} its ` +
        `instant; paused, ${counted(more.length, "firing")} in ${Math.round(patience.quiet / 1000)} s`,
    );
  },
};
