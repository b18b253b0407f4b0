import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { judged, type Question } from "../question.ts";
import { misfits } from "../refusals.ts";

/** A 422 that names one thing in both forms. */
const invalid = (loc: readonly (string | number)[], msg: string, type: string) => ({
  status: 422,
  code: "validation_error" as const,
  body: { detail: [{ loc, msg, type }], errors: [{ field: loc.slice(1).join(" -> "), message: msg }] },
});

const notUtf8 = Buffer.concat([Buffer.from('{"name": "'), Buffer.of(0xc3, 0x28), Buffer.from('"}')]);

export const malformedBody: Question = {
  title: "Malformed JSON, bytes that are not UTF-8, a missing field and another type are refused in words",
  ask: async ({ project }) => {
    const post = (bytes: string | Uint8Array, type = "application/json") =>
      project.call(createTrace, { bytes, headers: { "Content-Type": type } });
    const json = await post('{"name": }');
    const bytes = await post(notUtf8);
    const field = await post('{"name": "verify"}');
    const text = await post("{}", "text/plain");
    const badUtf8 = "JSON decode error: the body is not valid UTF-8";
    return judged(
      [
        ...misfits("malformed JSON", json, invalid(["body", 9], "JSON decode error", "json_invalid")),
        ...misfits("not UTF-8", bytes, invalid(["body", 0], badUtf8, "json_invalid")),
        ...misfits("a missing field", field, invalid(["body", "started_at"], "Field required", "missing")),
        ...misfits("text/plain", text, {
          status: 415,
          code: "unsupported_media_type",
          body: { detail: "The body must be of the type application/json." },
        }),
      ],
      "422 with the place of each fault, 415 for text/plain",
    );
  },
};
