import * as v from "valibot";

const page = v.object({
  widgets: v.array(
    v.object({ type: v.string(), properties: v.object({ metrics: v.optional(v.array(v.array(v.unknown())), []) }) }),
  ),
});

const joined = v.object({ "Fn::Join": v.tuple([v.literal(""), v.array(v.unknown())]) });

/** What stands for a value that is known when the stack is made: `{"Ref":"Queue"}` as text, quotes left out. */
const placeholder = (token: unknown): string => JSON.stringify(token).replaceAll('"', "");

/** A dashboard's page out of the template, as JSON. */
export const dashboardText = (body: unknown): string => {
  const { "Fn::Join": join } = v.parse(joined, body);
  return join[1].map((part) => (typeof part === "string" ? part : placeholder(part))).join("");
};

/** The metrics of a dashboard, one after the other: namespace, name, dimensions by name and value, at last how it is drawn. */
export const dashboardMetrics = (body: unknown): readonly (readonly unknown[])[] =>
  v.parse(page, JSON.parse(dashboardText(body))).widgets.flatMap(({ properties }) => properties.metrics);
