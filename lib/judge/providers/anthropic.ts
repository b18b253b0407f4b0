import { claudeBody, readClaudeMessage } from "./claude-messages.ts";
import { postJson } from "./post-json.ts";
import { redacted } from "./redacted.ts";
import { urlBelow } from "./url-below.ts";
import type { Connector } from "./provider.ts";

/** Claude models over Anthropic's own Messages API: its OpenAI-compatible side ignores schemas and has no prompt cache. */
export const anthropic: Connector = ({ key = "", baseUrl = "https://api.anthropic.com" }, { now }) => ({
  complete: async (request) => {
    const posted = await postJson(
      {
        url: urlBelow(baseUrl, "v1/messages"),
        body: { model: request.model, ...claudeBody(request) },
        headers: async () => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
        timeout: request.timeout,
      },
      now,
    );
    return posted.kind === "reply" ? redacted(key, readClaudeMessage(posted.reply)) : posted;
  },
  embed: null,
});
