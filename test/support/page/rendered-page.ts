import { Window } from "happy-dom";

/**
 * Reads a page as a browser does. It loads nothing and lays nothing out; `happyDOM.close()` ends it.
 *
 * @param scripts whether the page's own script runs.
 * @param width of the window in pixels.
 */
export const renderedPage = (page: string, { scripts = false, width = 1280 } = {}): Window => {
  const window = new Window({
    url: "http://127.0.0.1:4000/docs",
    width,
    settings: { enableJavaScriptEvaluation: scripts, suppressInsecureJavaScriptEnvironmentWarning: true },
  });
  window.document.write(page);
  return window;
};
