import { expect, test } from "vitest";
import { snippets } from "../../../lib/console/start/snippets.ts";
import { programSettings } from "../../../lib/contract/openapi/page/programs/settings.ts";

const destination = { serviceUrl: "https://assay.example.com/prod", apiKey: "sk_as_1", projectName: "shop" };

test("the variables of the first run are those of the documented programs", () => {
  const { opentelemetry, langfuse, langsmith } = snippets;

  expect(opentelemetry.variables(destination)).toEqual(programSettings.otlp.variables(destination));
  expect(langfuse.variables(destination)).toEqual(programSettings.langfuse.variables(destination));
  expect(langsmith.variables(destination)).toEqual(programSettings.langsmith.variables(destination));
});
