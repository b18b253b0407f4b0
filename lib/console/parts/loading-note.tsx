import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Milliseconds after which the note adds that the service is slow. */
const slowAfter = 4_000;

/** Status line of a pending request. @param children text, such as `Loading the run`. */
export const LoadingNote = ({ children }: { readonly children: string }) => {
  const isSlow = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isSlow.value = true), slowAfter);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="faint waiting-for" role="status">
      {children} …{isSlow.value && " The service is slow; still waiting."}
    </p>
  );
};
