import { type ReactNode, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeviceHistory } from '../../../packages/control-system/device-view.ts';
import { useViewport } from '../app/viewport.ts';
import { canDraw, curveOf } from '../devices/curve-of.ts';
import { useCurveTexts } from '../devices/curve-texts.ts';
import { fetchHistory } from '../devices/device-queries.ts';
import { PlotCanvas } from '../plots/plot-canvas.tsx';
import { formatPlace } from '../plots/plot-format.ts';
import type { PlotSource, PlotView } from '../plots/plot-source.ts';
import { useDrawing } from '../plots/use-drawing.ts';
import { usePlotKeys } from '../plots/use-plot-keys.ts';
import { LaneHead } from './lane-head.tsx';
import { type Chart, useChart } from './use-chart.ts';
import { textAt } from './value-at.ts';

const oneCurve = [0] as const;
const withExtremes = [0, 1, 2] as const;

interface LaneCurveProps {
  readonly history: DeviceHistory;
  /** Shown between the name and the curve. */
  readonly children: ReactNode;
}

/** The curve of a device on the common axis. All curves share the cursor and the zoom. */
export function LaneCurve({ history, children }: LaneCurveProps) {
  const { t } = useTranslation('plot');
  const chart = useChart();
  const { moment, part, setPart, width, gutter, ticks, cursor, setCursor } = chart;
  const source = useSource(history, chart);
  const lane = useMemo(() => ({ gutter, ticks }), [gutter, ticks]);
  const height = useViewport() === 'phone' ? 84 : 112;
  const curves = history.isBinned ? withExtremes : oneCurve;
  const wanted = { curves, isLogX: false, isLogY: false, width, height, lane };
  const view = useDrawing(source, wanted, [part, setPart]);
  const keys = usePlotKeys({ ...view, known: cursor, setKnown: setCursor });
  const picture = useRef(null);
  const { drawing } = view;
  const place = cursor?.place;
  const text = drawing && textAt(history, drawing.points, place ?? moment);
  const when = place === undefined ? undefined : formatPlace({ ...source.axis, ...chart.shown }, place);
  return (
    <>
      <LaneHead name={history.name} value={text} when={when} />
      {children}
      {!drawing && <div style={{ height }} />}
      {drawing && canDraw(history) && (
        <PlotCanvas
          {...{ drawing, place, picture }}
          label={t('cursorOf', { name: history.name })}
          cursor={keys.cursor}
          valueText={when === undefined ? t('cursorHint') : `${when}: ${text}`}
          onCursor={keys.setCursor}
          onRange={view.setRange}
          onKey={keys.onKey}
        />
      )}
      {view.hasFailed && <p className="hint">{t('failed')}</p>}
    </>
  );
}

/** The plot of a device on the common axis, which may reach into the future. The curve ends at the present time. */
function useSource(history: DeviceHistory, { whole, moment }: Chart): PlotSource {
  const texts = useCurveTexts();
  return useMemo(() => {
    const fetchPart = ({ from, to, width }: PlotView) =>
      fetchHistory(history.name, { from, to: Math.max(from + 1, Math.min(to, history.end)) }, Math.round(width));
    const source = curveOf(history, [moment], texts, fetchPart);
    return { ...source, axis: { ...source.axis, ...whole } };
  }, [history, whole, moment, texts]);
}
