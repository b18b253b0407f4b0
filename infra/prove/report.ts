import { fail } from "../verify/check.ts";
import { messageOf } from "../verify/message-of.ts";
import type { Finding } from "../verify/report/findings-table.ts";
import { redactor } from "../verify/report/redactor.ts";
import type { Step } from "./service-steps.ts";

/** A step's result with its duration. */
export interface ProvedStep extends Finding {
  readonly seconds: number;
}

/** Runs steps in order; those after a failed one are skipped. The last one, which cleans up, always runs. */
export const runSteps = async (
  steps: readonly Step[],
  cleanUp: Step,
  print: (line: string) => void,
): Promise<readonly ProvedStep[]> => {
  const results: ProvedStep[] = [];
  const runStep = async ({ title, run }: Step): Promise<void> => {
    print(title);
    const begin = performance.now();
    const result = await run().catch((error: unknown) => fail(messageOf(error)));
    print(`  ${result.verdict}: ${result.details}`);
    results.push({ title, ...result, seconds: Math.round((performance.now() - begin) / 1000) });
  };
  for (const step of steps)
    if (results.some(({ verdict }) => verdict === "failed"))
      results.push({ title: step.title, verdict: "skipped", details: "a step before it failed", seconds: 0 });
    else await runStep(step);
  await runStep(cleanUp);
  return results;
};

/** Removes what names an account: keys, account numbers, and ids in addresses of the API. */
const anonymous = (text: string): string =>
  redactor([])(text)
    .replaceAll(/(?<!\d)\d{12}(?!\d)/gu, "[account]")
    .replaceAll(/https:\/\/[a-z0-9]+\.execute-api\./gu, "https://[api].execute-api.");

/** Returns the page of a proof in Markdown, without account numbers. @param build version and commit that were proved */
export const proofPage = (day: string, build: string, results: readonly ProvedStep[]): string => {
  const cell = (text: string): string =>
    anonymous(text)
      .replaceAll("|", String.raw`\|`)
      .replaceAll("\n", " ");
  const rows = results.map(
    ({ title, verdict, details, seconds }) => `| ${cell(title)} | ${verdict} | ${seconds} s | ${cell(details)} |`,
  );
  return `# Proof of ${day}\n\n${build}, deployed into an AWS account, by \`npm run prove\`.\n\n| step | result | time | details |\n|---|---|---|---|\n${rows.join("\n")}\n`;
};
