import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as v from "valibot";
import { messageOf } from "../message-of.ts";
import { fail, pass, skip, type Check } from "../check.ts";

const execute = promisify(execFile);

/** Calls CloudWatch with the AWS CLI, with its configured credentials and Region. @returns parsed JSON output */
const cloudWatch = async (...args: readonly string[]): Promise<unknown> => {
  const { stdout } = await execute("aws", ["cloudwatch", ...args, "--output", "json"]);
  return stdout.trim() === "" ? null : JSON.parse(stdout);
};

const alarmsSchema = v.object({
  MetricAlarms: v.array(v.object({ AlarmName: v.string(), StateValue: v.string(), AlarmActions: v.array(v.string()) })),
});
const historySchema = v.object({
  AlarmHistoryItems: v.array(v.object({ Timestamp: v.string(), HistorySummary: v.string() })),
});

const maxPolls = 20;

/**
 * Builds the check that sets an alarm to the state ALARM and waits for its notification. CloudWatch resets the state within minutes.
 *
 * @param stack name of the stack with the alarms
 */
export const alarmIsSent = (stack: string, now: () => number = Date.now): Check => ({
  title: "A raised alarm is sent to the operator's topic",
  run: async ({ wait, timeouts }) => {
    const response = await cloudWatch("describe-alarms", "--alarm-name-prefix", `${stack}-`).catch(
      (error: unknown) => error,
    );
    if (response instanceof Error) return skip(`the AWS CLI does not answer: ${messageOf(response).split("\n")[0]}`);
    const alarm = v
      .parse(alarmsSchema, response)
      .MetricAlarms.find(({ StateValue, AlarmActions }) => StateValue !== "ALARM" && AlarmActions.length > 0);
    if (alarm === undefined) return fail("no inactive alarm has an action: set alarmEmail or alarmTopicArn");
    const { AlarmName } = alarm;
    const startedAt = now();
    await cloudWatch(
      "set-alarm-state",
      "--alarm-name",
      AlarmName,
      "--state-value",
      "ALARM",
      "--state-reason",
      "verify",
    );
    for (let poll = 0; poll < maxPolls; poll += 1) {
      await wait(timeouts.pollInterval);
      const items = v
        .parse(
          historySchema,
          await cloudWatch("describe-alarm-history", "--alarm-name", AlarmName, "--history-item-type", "Action"),
        )
        .AlarmHistoryItems.filter(({ Timestamp }) => Date.parse(Timestamp) >= startedAt - 5_000);
      const failed = items.find(({ HistorySummary }) => /fail/iu.test(HistorySummary));
      if (failed !== undefined) return fail(`${AlarmName}: ${failed.HistorySummary}`);
      if (items.length > 0) return pass(`${AlarmName}; check that the notification has arrived`);
    }
    return fail(`${AlarmName} was raised, but CloudWatch has sent no notification`);
  },
});
