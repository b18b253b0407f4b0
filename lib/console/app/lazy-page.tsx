import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { trackRequest } from "../in-flight.ts";

/** Message for a page whose file is missing, as in a tab that was opened before the service was deployed again. */
const MissingPage = () => (
  <main>
    <div class="trouble" role="alert">
      <h1>This page could not be loaded</h1>
      <p>The console may have a newer version, or the connection failed. Reload the console to continue.</p>
      <button type="button" class="main" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  </main>
);

/**
 * Returns a component that loads a page's code when it is first displayed. Until then it shows an empty page, and a
 * message with a button to reload if the code cannot be loaded.
 *
 * @param load imports the page, in a file of its own.
 */
export const lazyPage = <Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> => {
  const component = signal<ComponentType<Props> | null>(null);
  let isRequested = false;
  const displayed = Promise.withResolvers<void>();
  /** Settles when the page has sent its first requests, so that requests of low priority wait for them. */
  const request = async (): Promise<void> => {
    try {
      component.value = await load();
    } catch (error) {
      component.value = MissingPage;
      reportError(error);
    }
    await displayed.promise;
  };
  return (props) => {
    const Page = component.value;
    // Effects of the page run before this one.
    useEffect(() => {
      if (Page !== null) displayed.resolve();
    }, [Page]);
    useEffect(() => displayed.resolve, []);
    if (Page !== null) return <Page {...props} />;
    if (!isRequested) void trackRequest(request());
    isRequested = true;
    return <main aria-busy="true" />;
  };
};
