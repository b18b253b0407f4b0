import { fileURLToPath } from "node:url";

/**
 * Imports the modules named by the arguments and prints the patterns that they construct, with the place of each
 * `new RegExp`. A program of its own: it replaces the global constructor before any of the modules is loaded.
 */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const constructed = new Map<string, { readonly at: string; readonly source: string; readonly flags: string }>();
const { RegExp: original } = globalThis;

globalThis.RegExp = new Proxy(original, {
  construct: (target, values: ConstructorParameters<typeof RegExp>) => {
    const { source, flags } = new target(...values);
    const frame = new Error("place").stack?.split("\n")[2] ?? "";
    const [at = frame] = /^[^:]+:\d+/u.exec(frame.slice(frame.indexOf(root) + root.length)) ?? [];
    constructed.set(`${at} ${source}`, { at, source, flags });
    return new target(...values);
  },
});

for (const path of process.argv.slice(2)) await import(`${root}${path}`);

// Patterns that are constructed for each call.
const { isAllowedOrigin } = await import("../../../lib/contract/cross-origin.ts");
const { comparesOutputs } = await import("../../../lib/domain/metrics/imported/plain-prompt.ts");
const { loadTokenizers } = await import("../../../lib/judge/spending/tokenizers.ts");
const { parseTextQuery } = await import("../../../lib/domain/traces/search/text-query.ts");
const { lintText } = await import("../../../lib/domain/metrics/lint/text-warnings.ts");
parseTextQuery('"two words" 京 x');
isAllowedOrigin(["https://a.example", "http://localhost:*"], "https://b.example");
comparesOutputs("", ["A+"]);
lintText("Good or bad?", []);
await loadTokenizers();

process.stdout.write(JSON.stringify([...constructed.values()]));
