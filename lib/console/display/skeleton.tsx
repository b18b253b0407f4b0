/** Gray lines in place of what is loading. @param height of what they stand for, in pixels, so that nothing below moves. */
export const Skeleton = ({ height = 240 }: { readonly height?: number }) => (
  <div class="lines-of-text" aria-hidden="true" style={{ height: `${height}px` }} />
);
