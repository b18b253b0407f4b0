import { signal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { titleAt } from "../page-titles.ts";
import { trackRequest } from "../in-flight.ts";
import { hash } from "../route.ts";
import { Skeleton } from "../display/skeleton.tsx";

/** Message for code whose file is missing, as in a tab that was opened before the service was deployed again. */
const MissingCode = ({ title }: { readonly title: string }) => (
  <div
    class="trouble"
    role="alert"
    ref={(element: HTMLElement | null) => element?.scrollIntoView({ block: "nearest" })}
  >
    <h1>{title}</h1>
    <p>The console may have a newer version, or the connection failed. Reload the console to continue.</p>
    <button type="button" class="main" onClick={() => location.reload()}>
      Reload
    </button>
  </div>
);

const MissingPart = () => <MissingCode title="This part of the page could not be loaded" />;

const MissingPage = () => (
  <main>
    <MissingCode title="This page could not be loaded" />
  </main>
);

/**
 * Returns a component that loads the code of a part of a page, such as a dialog, when it is first displayed. Until then it shows
 * nothing, and a message with a button to reload if the code cannot be loaded.
 *
 * @param load imports the component, in a file of its own.
 * @param Missing message if the code cannot be loaded.
 * @param pending shown until the code is loaded.
 */
export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Missing: () => JSX.Element = MissingPart,
  pending: JSX.Element | null = null,
): ComponentType<Props> => {
  const component = signal<ComponentType<Props> | null>(null);
  let isRequested = false;
  const displayed = Promise.withResolvers<void>();
  /** Settles when the component has sent its first requests, so that requests of low priority wait for them. */
  const request = async (): Promise<void> => {
    try {
      component.value = await load();
    } catch (error) {
      component.value = Missing;
      reportError(error);
    }
    await displayed.promise;
  };
  return (props) => {
    const Component = component.value;
    // Effects of the component run before this one.
    useEffect(() => {
      if (Component !== null) displayed.resolve();
    }, [Component]);
    // With the first rendering: a part that is gone before its other effects run would be waited for without end.
    useLayoutEffect(() => {
      if (!isRequested) void trackRequest(request());
      isRequested = true;
      return displayed.resolve;
    }, []);
    return Component === null ? pending : <Component {...props} />;
  };
};

/** Title and skeleton of a page of which nothing is known yet. */
export const PendingPage = () => (
  <main aria-busy="true">
    <h1>{titleAt(hash.value)}</h1>
    <Skeleton />
  </main>
);

/** Like `lazyPart` for a whole page: its title and a skeleton until its code is loaded. */
export const lazyPage = <Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> =>
  lazyPart(load, MissingPage, <PendingPage />);
