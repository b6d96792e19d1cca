import { placeLabels } from '../plots/plot-format.ts';
import { Strip } from './strip.tsx';
import { placeOf, useChart } from './use-chart.ts';

/** The axis of all parts of the chart. */
export function TimeAxis() {
  const chart = useChart();
  const { shown, ticks } = chart;
  const [first = 0, second = first] = ticks;
  const axis = { kind: 'time', name: undefined, unit: undefined, ...shown, positiveFrom: undefined } as const;
  const labels = placeLabels(axis, ticks, second - first || shown.to - shown.from);
  return (
    <Strip label="" className="around-axis">
      <div aria-hidden="true">
        {ticks.map((tick, at) => (
          <span key={tick} className="number" style={{ left: placeOf(chart, tick) }}>
            {labels[at]}
          </span>
        ))}
      </div>
    </Strip>
  );
}
