import { Window } from "happy-dom";

interface PageOptions {
  readonly scripts?: boolean;
  readonly width?: number;
  readonly topic?: string;
  readonly files?: Readonly<Record<string, string | null>>;
}

/**
 * Parses a page in a browser environment without computing layout; `happyDOM.close()` ends it.
 * @param scripts true if the page's own script runs.
 * @param width window width in pixels.
 * @param topic topic of the documentation; empty for the first page.
 * @param files texts that the script can load, by path; null for a file that the service cannot send.
 */
export const renderedPage = (
  page: string,
  { scripts = false, width = 1280, topic = "", files = {} }: PageOptions = {},
): Window => {
  const window = new Window({
    url: `http://127.0.0.1:4000/docs${topic === "" ? "" : `/${topic}`}`,
    width,
    settings: {
      enableJavaScriptEvaluation: scripts,
      suppressInsecureJavaScriptEnvironmentWarning: true,
      fetch: {
        interceptor: {
          beforeAsyncRequest: async ({ request, window: requesting }) => {
            const text = files[new URL(request.url).pathname] ?? null;
            return new requesting.Response(text, { status: text === null ? 503 : 200 });
          },
        },
      },
    },
  });
  window.document.write(page);
  return window;
};
