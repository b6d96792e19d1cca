import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timeTicks } from '../../../packages/control-system/plot-ticks.ts';
import type { Hit } from '../api/types.ts';
import { useViewport } from '../app/viewport.ts';
import { IconButton } from '../components/icon-button.tsx';
import { useWidth } from '../components/use-width.ts';
import type { PlotRange } from '../plots/plot-source.ts';
import { usePlotCursor } from '../plots/use-plot-keys.ts';
import { zoomBy } from '../plots/zoom.ts';
import { DeviceLane, type LaneData } from './device-lane.tsx';
import { EntryStrip } from './entry-strip.tsx';
import { TimeAxis } from './time-axis.tsx';
import { type Chart, ChartContext } from './use-chart.ts';

interface AroundChartProps {
  readonly entries: readonly Hit[];
  readonly lanes: readonly LaneData[];
  readonly id: number;
  readonly moment: number;
  readonly whole: PlotRange;
}

/** Entries, alarms and curves one below the other, with a common axis, cursor and zoom. */
export function AroundChart({ entries, lanes, id, moment, whole }: AroundChartProps) {
  const { t } = useTranslation(['around', 'plot']);
  const box = useRef<HTMLElement>(null);
  const width = useWidth(box);
  const gutter = useViewport() === 'phone' ? 56 : 84;
  const [part, setPart] = useState<PlotRange>();
  const { known: cursor, setKnown: setCursor } = usePlotCursor();
  const shown = part ?? whole;
  const ticks = useMemo(() => localTicks(shown), [shown]);
  const chart: Chart = { moment, whole, shown, part, setPart, cursor, setCursor, width, gutter, ticks };
  const zoom = (factor: number) => {
    const place = cursor?.place ?? moment;
    const middle = place >= shown.from && place <= shown.to ? place : (shown.from + shown.to) / 2;
    setPart(zoomBy(shown, factor, middle, { whole, isLog: false }));
  };
  const hasBand = lanes.some(({ history }) => history?.isBinned);
  return (
    <figure className="plot around-chart" ref={box} aria-label={t('chart')}>
      <div className="plot-head">
        <span className="grow" />
        <IconButton small icon={ZoomOut} label={t('plot:zoomOut')} keys="-" onClick={() => zoom(2)} />
        <IconButton small icon={ZoomIn} label={t('plot:zoomIn')} keys="+" onClick={() => zoom(0.5)} />
        <IconButton small icon={Maximize2} label={t('plot:whole')} keys="0" onClick={() => setPart(undefined)} />
      </div>
      {width > 0 && (
        <ChartContext value={chart}>
          <TimeAxis />
          <EntryStrip entries={entries} id={id} />
          {lanes.map((lane) => (
            <DeviceLane key={lane.name} lane={lane} />
          ))}
        </ChartContext>
      )}
      {hasBand && <p className="hint">{t('band')}</p>}
    </figure>
  );
}

/** Returns round local times within the range. */
function localTicks({ from, to }: PlotRange): number[] {
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  return timeTicks(from - offset, to - offset).map((tick) => tick + offset);
}
