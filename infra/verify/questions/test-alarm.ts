import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as v from "valibot";
import { messageOf } from "../message-of.ts";
import { fails, holds, notAsked, type Question } from "../question.ts";

const run = promisify(execFile);

/** Calls CloudWatch by the AWS CLI, with its credentials and Region. */
const cloudWatch = async (...args: readonly string[]): Promise<unknown> => {
  const { stdout } = await run("aws", ["cloudwatch", ...args, "--output", "json"]);
  return stdout.trim() === "" ? null : JSON.parse(stdout);
};

const alarms = v.object({
  MetricAlarms: v.array(v.object({ AlarmName: v.string(), StateValue: v.string(), AlarmActions: v.array(v.string()) })),
});
const history = v.object({
  AlarmHistoryItems: v.array(v.object({ Timestamp: v.string(), HistorySummary: v.string() })),
});

const looks = 20;

/**
 * Raises an alarm by hand, and looks whether CloudWatch could tell it; CloudWatch takes it back by itself within minutes.
 *
 * @param stack whose alarms are asked for.
 */
export const alarmArrives = (stack: string, now: () => number = Date.now): Question => ({
  title: "An alarm that is raised is told to the operator's topic",
  ask: async ({ wait, patience }) => {
    const found = await cloudWatch("describe-alarms", "--alarm-name-prefix", `${stack}-`).catch(
      (error: unknown) => error,
    );
    if (found instanceof Error) return notAsked(`the AWS CLI does not answer: ${messageOf(found).split("\n")[0]}`);
    const alarm = v
      .parse(alarms, found)
      .MetricAlarms.find(({ StateValue, AlarmActions }) => StateValue !== "ALARM" && AlarmActions.length > 0);
    if (alarm === undefined) return fails("no alarm that is quiet has an action: set alarmEmail or alarmTopicArn");
    const { AlarmName } = alarm;
    const begun = now();
    await cloudWatch(
      "set-alarm-state",
      "--alarm-name",
      AlarmName,
      "--state-value",
      "ALARM",
      "--state-reason",
      "verify",
    );
    for (let look = 0; look < looks; look += 1) {
      await wait(patience.look);
      const items = v
        .parse(
          history,
          await cloudWatch("describe-alarm-history", "--alarm-name", AlarmName, "--history-item-type", "Action"),
        )
        .AlarmHistoryItems.filter(({ Timestamp }) => Date.parse(Timestamp) >= begun - 5_000);
      const failed = items.find(({ HistorySummary }) => /fail/iu.test(HistorySummary));
      if (failed !== undefined) return fails(`${AlarmName}: ${failed.HistorySummary}`);
      if (items.length > 0) return holds(`${AlarmName}; look whether it has arrived where you read alarms`);
    }
    return fails(`${AlarmName} was raised, and CloudWatch has told nobody`);
  },
});
