import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { passUnless, type Check } from "../check.ts";
import { refusalProblems } from "../refusals.ts";

/** A validation error (422) with one problem, in both formats of the body: `detail` and `errors`. */
const invalid = (loc: readonly (string | number)[], msg: string, type: string) => ({
  status: 422,
  code: "validation_error" as const,
  body: { detail: [{ loc, msg, type }], errors: [{ field: loc.slice(1).join(" -> "), message: msg }] },
});

const notUtf8 = Buffer.concat([Buffer.from('{"name": "'), Buffer.of(0xc3, 0x28), Buffer.from('"}')]);

export const malformedBody: Check = {
  title: "Malformed JSON, invalid UTF-8, a missing field and another media type are refused with a clear message",
  run: async ({ project }) => {
    const post = (bytes: string | Uint8Array, type = "application/json") =>
      project.call(createTrace, { bytes, headers: { "Content-Type": type } });
    const json = await post('{"name": }');
    // Of a trace such bytes are replaced.
    const bytes = await project.call(createTraceRun, {
      bytes: notUtf8,
      headers: { "Content-Type": "application/json" },
    });
    const field = await post('{"name": "verify"}');
    const text = await post("{}", "text/plain");
    const badUtf8 = "JSON decode error: the body is not valid UTF-8";
    return passUnless(
      [
        ...refusalProblems("malformed JSON", json, invalid(["body", 9], "JSON decode error", "json_invalid")),
        ...refusalProblems("not UTF-8", bytes, invalid(["body", 0], badUtf8, "json_invalid")),
        ...refusalProblems("a missing field", field, invalid(["body", "started_at"], "Field required", "missing")),
        ...refusalProblems("text/plain", text, {
          status: 415,
          code: "unsupported_media_type",
          body: { detail: "The body must be of the type application/json." },
        }),
      ],
      "422 with the location of each error, 415 for text/plain",
    );
  },
};
