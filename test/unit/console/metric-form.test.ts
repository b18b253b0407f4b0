import { expect, test } from "vitest";
import { metricFormOf, parseForm } from "../../../lib/console/custom/form.ts";

test.each([
  { scale_type: "nominal", value: null },
  { scale_type: "order", value: 0.5 },
])("a metric with a scale of type $scale_type keeps it and its levels' values in the form", ({ scale_type, value }) => {
  const scale = ["refund", "question"].map((label) => ({ label, meaning: `The user has a ${label}.`, value }));

  const form = metricFormOf({ kind: "judge", scale_type, scale }, "intent");
  const body: unknown = JSON.parse(JSON.stringify(parseForm(form, []).parts));

  expect(body).toMatchObject({ scale_type, scale });
});
