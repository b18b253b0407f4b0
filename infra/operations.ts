import { Duration, Stack } from "aws-cdk-lib";
import { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { serviceAlarm } from "./alarm.ts";
import type { Api } from "./api/api.ts";

/** The alarms of the API, and where all alarms of the stack go. Made last: it collects what the others made. */
export class Operations extends Construct {
  constructor(scope: Construct, id: string, api: Api, alarmEmail: string | undefined) {
    super(scope, id);
    serviceAlarm(this, "ServerErrors", {
      // The average of a 0-or-1 metric is a rate.
      metric: api.rest.metricServerError({ period: Duration.minutes(5), statistic: "Average" }),
      threshold: 0.01,
      impact:
        "More than 1 % of calls fail with a 5xx. Clients repeat them; the log of the interface's resource names the route that fails.",
      silence: "quiet",
    });
    serviceAlarm(this, "AuthorizerErrors", {
      metric: api.authorizer.function.metricErrors({ period: Duration.minutes(5), statistic: "Sum" }),
      threshold: 5,
      impact: api.authorizer.impact,
      silence: "quiet",
    });
    if (alarmEmail === undefined) return;
    const topic = new Topic(this, "Alarms", { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(alarmEmail));
    const alarms = Stack.of(this)
      .node.findAll()
      .filter((construct) => construct instanceof Alarm);
    for (const alarm of alarms) alarm.addAlarmAction(new SnsAction(topic));
  }
}
