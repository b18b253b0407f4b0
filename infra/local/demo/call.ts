import type { Caller } from "../curl.ts";

/** Calls the service; a body makes it a POST. @returns the reply's body. @throws Error when it is refused. */
export type Call = (path: string, body?: unknown) => Promise<unknown>;

/** Calls as somebody. */
export const callAs =
  ({ baseUrl, apiKey, projectName }: Caller): Call =>
  async (path, body) => {
    const reply = await fetch(baseUrl + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { "X-API-Key": apiKey, "X-Project-Name": projectName, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return await reply.json();
  };
