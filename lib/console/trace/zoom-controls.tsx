import { panBy, wholeWindow, zoomBy, type ZoomRange } from "./zoom.ts";

/** Buttons that zoom a timeline, and while it is zoomed a slider that moves its window. */
export const ZoomControls = ({
  zoom,
  onChange,
  onZoomToSpan,
}: {
  readonly zoom: ZoomRange;
  readonly onChange: (zoom: ZoomRange) => void;
  /** Null without a selected span. */
  readonly onZoomToSpan: (() => void) | null;
}) => {
  const width = zoom.to - zoom.from;
  const isWhole = width >= 1;
  return (
    <span class="zoom" role="group" aria-label="Zoom">
      <button type="button" onClick={() => onChange(zoomBy(zoom, 0.5))} aria-label="Zoom in">
        +
      </button>
      <button type="button" disabled={isWhole} onClick={() => onChange(zoomBy(zoom, 2))} aria-label="Zoom out">
        −
      </button>
      {onZoomToSpan !== null && (
        <button type="button" onClick={onZoomToSpan}>
          To span
        </button>
      )}
      {!isWhole && (
        <>
          <button type="button" onClick={() => onChange(wholeWindow)}>
            All
          </button>
          <input
            type="range"
            aria-label="Position in the timeline"
            min={0}
            max={1}
            step="any"
            value={zoom.from / (1 - width)}
            onInput={({ currentTarget: { valueAsNumber: share } }) =>
              onChange(panBy(zoom, (share * (1 - width) - zoom.from) / width))
            }
          />
        </>
      )}
    </span>
  );
};
