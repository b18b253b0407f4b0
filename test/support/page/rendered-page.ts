import { Window } from "happy-dom";

/**
 * Parses a page in a browser environment without loading resources or computing layout; `happyDOM.close()` ends it.
 * @param scripts true if the page's own script runs.
 * @param width window width in pixels.
 * @param topic topic of the documentation; empty for the first page.
 */
export const renderedPage = (page: string, { scripts = false, width = 1280, topic = "" } = {}): Window => {
  const window = new Window({
    url: `http://127.0.0.1:4000/docs${topic === "" ? "" : `/${topic}`}`,
    width,
    settings: { enableJavaScriptEvaluation: scripts, suppressInsecureJavaScriptEnvironmentWarning: true },
  });
  window.document.write(page);
  return window;
};
