import type { ComponentProps } from "preact";
import { lazyPart } from "../parts/lazy.tsx";
import type { SpanContent } from "./span-content.tsx";

let Loaded: typeof SpanContent | null = null;

const load = async (): Promise<typeof SpanContent> => (Loaded = (await import("./span-content.tsx")).SpanContent);

const Pending = lazyPart(load);

/** Input and output of a span, whose code is loaded with the first one. */
export const LazySpanContent = (props: ComponentProps<typeof SpanContent>) =>
  Loaded === null ? <Pending {...props} /> : <Loaded {...props} />;

/** Loads the code before the steps that are open from the start are displayed, which would move what is below them. */
export const preloadSpanContent = async (): Promise<void> => {
  try {
    await load();
  } catch (error) {
    // The part itself says that it is missing.
    reportError(error);
  }
};
