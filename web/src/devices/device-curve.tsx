import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import { useViewport } from '../app/viewport.ts';
import { pageQuery } from '../find/search-queries.ts';
import type { PlotView } from '../plots/plot-source.ts';
import { LazyPlot } from '../read/lazy-plot.tsx';
import { curveOf } from './curve-of.ts';
import { useCurveTexts } from './curve-texts.ts';
import { Cut, Problems } from './device-facts.tsx';
import { deviceSearch, fetchHistory } from './device-queries.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const spans = { hour: hourMs, day: 24 * hourMs, week: 168 * hourMs, month: 744 * hourMs, year: 8_784 * hourMs };
type Span = keyof typeof spans;
const maxPoints = 2_000;

/** The values of a device over time, with a mark at each entry that mentions it. */
export function DeviceCurve({ name }: { readonly name: string }) {
  const { t } = useTranslation('device');
  const [{ span, endMs }, choose] = useState<{ readonly span: Span; readonly endMs: number }>(() => last('day'));
  const range = { from: endMs - spans[span], to: endMs };
  const { data, error } = useQuery({
    queryKey: ['device', name, 'curve', range] as const,
    queryFn: () => fetchHistory(name, range, maxPoints),
    retry: false,
  });
  const { data: entries } = useQuery(pageQuery(deviceSearch(name), 0, undefined));
  const height = useViewport() === 'phone' ? 180 : 240;
  const texts = useCurveTexts();
  const source = useMemo(() => {
    if (!data || data.samples.length === 0) return undefined;
    const marks = (entries?.logs ?? []).map(({ createdDate }) => createdDate);
    const fetchPart = inTurn((view) => fetchHistory(name, view, pointsFor(view)));
    return curveOf(data, marks, texts, fetchPart);
  }, [data, entries, name, texts]);
  const place = <div style={{ height }} />;
  return (
    <section aria-labelledby="device-curve">
      <h2 id="device-curve">{t('curve')}</h2>
      <fieldset className="segment" aria-label={t('span')}>
        {(Object.keys(spans) as Span[]).map((one) => (
          <button
            key={one}
            type="button"
            className="button"
            aria-pressed={one === span}
            onClick={() => choose(last(one))}
          >
            {t(`spans.${one}`)}
          </button>
        ))}
      </fieldset>
      {source && <LazyPlot key={`${span} ${endMs}`} {...{ source, name, height }} />}
      {!data && !error && place}
      {error && (
        <p className="hint" role="status">
          {error.message}
        </p>
      )}
      {data && <Problems problems={data.problems} />}
      {data?.isCut && <Cut />}
    </section>
  );
}

/**
 * Returns a span that ends at the next full minute, so that choosing it again within the minute sends the same request.
 */
function last(span: Span) {
  return { span, endMs: Math.ceil(serverNow() / minuteMs) * minuteMs };
}

const pointsFor = ({ width }: PlotView): number => Math.min(maxPoints, Math.max(2, Math.round(width)));

/** Runs one request at a time. Of the waiting requests, only the last is run: the views of the others are outdated. */
function inTurn<T>(run: (view: PlotView) => Promise<T>): (view: PlotView) => Promise<T> {
  let before: Promise<unknown> = Promise.resolve();
  let newest = 0;
  return (view) => {
    newest += 1;
    const number = newest;
    const answer = before.then(() => {
      if (number !== newest) throw new Error('another part has been requested since');
      return run(view);
    });
    before = answer.catch(() => undefined);
    return answer;
  };
}
