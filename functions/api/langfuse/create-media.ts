import { createLangfuseMedia } from "../../../lib/contract/langfuse/media.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

/** Characters of a hash that are the id of Langfuse's media. */
const idLength = 22;

export const handler = endpoint(createLangfuseMedia, environmentGuard(connect()), ({ body, runOnce }) =>
  runOnce({ lease: 0 }, async () => {
    const hash = Buffer.from(body.sha256Hash, "base64").toString("base64url");
    return { mediaId: hash.slice(0, idLength), uploadUrl: null };
  }),
);
