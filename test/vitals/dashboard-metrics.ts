import * as v from "valibot";

const page = v.object({
  widgets: v.array(
    v.object({ type: v.string(), properties: v.object({ metrics: v.optional(v.array(v.array(v.unknown())), []) }) }),
  ),
});

const joined = v.object({ "Fn::Join": v.tuple([v.literal(""), v.array(v.unknown())]) });

/** Placeholder of a value resolved at deployment: `{"Ref":"Queue"}` as text without quotes. */
const placeholder = (token: unknown): string => JSON.stringify(token).replaceAll('"', "");

/** A dashboard's body from the template, as JSON. */
export const dashboardText = (body: unknown): string => {
  const { "Fn::Join": join } = v.parse(joined, body);
  return join[1].map((part) => (typeof part === "string" ? part : placeholder(part))).join("");
};

/** Metrics of a dashboard: namespace, name, dimension names and values, and finally drawing options. */
export const dashboardMetrics = (body: unknown): readonly (readonly unknown[])[] =>
  v.parse(page, JSON.parse(dashboardText(body))).widgets.flatMap(({ properties }) => properties.metrics);
