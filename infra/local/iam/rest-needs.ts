import { arn, place } from "../template/arn.ts";
import { asText } from "../host/as-text.ts";
import type { Need } from "./decision.ts";

type Body = Readonly<Record<string, unknown>>;

/** API Gateway's control plane: the method on the path. */
const gatewayNeeds = (method: string, { pathname }: URL): readonly Need[] => [
  {
    action: `apigateway:${method}`,
    resource: `arn:${place.partition}:apigateway:${place.region}::${pathname}`,
  },
];

const schedulerActions: Readonly<Record<string, string>> = {
  POST: "CreateSchedule",
  PUT: "UpdateSchedule",
  GET: "GetSchedule",
  DELETE: "DeleteSchedule",
};

/** The Scheduler: its operation on a schedule of a group; to name a role is to pass it on. */
const schedulerNeeds = (method: string, { pathname, searchParams }: URL, body: Body): readonly Need[] => {
  const [, , name] = pathname.split("/");
  if (name === undefined) return [{ action: "scheduler:ListSchedules", resource: "*" }];
  const group = asText(body["GroupName"] ?? searchParams.get("groupName") ?? "default");
  const role = (body["Target"] as Body | undefined)?.["RoleArn"];
  return [
    {
      action: `scheduler:${schedulerActions[method] ?? method}`,
      resource: arn("scheduler", `schedule/${group}/${name}`),
    },
    ...(role === undefined ? [] : [{ action: "iam:PassRole", resource: asText(role) }]),
  ];
};

const lambdaNeeds = ({ pathname }: URL): readonly Need[] => [
  { action: "lambda:InvokeFunction", resource: arn("lambda", `function:${pathname.split("/")[3] ?? ""}`) },
];

/**
 * What a call of a REST protocol needs.
 *
 * @param service as the request is signed for it
 * @throws Error for a service this does not know: an unchecked call would pass for an allowed one.
 */
export const restNeeds = (service: string, method: string, url: URL, body: Body): readonly Need[] => {
  if (service === "apigateway") return gatewayNeeds(method, url);
  if (service === "scheduler") return schedulerNeeds(method, url, body);
  if (service === "lambda") return lambdaNeeds(url);
  throw new Error(`It is not known what a call of ${service} needs to be allowed.`);
};
