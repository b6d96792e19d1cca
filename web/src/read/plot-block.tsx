import { useQuery } from '@tanstack/react-query';
import { ChartLine } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeviceHistory } from '../../../packages/control-system/device-view.ts';
import { plotLimits, readPlotBlock, type UnusedLine, usualRange } from '../../../packages/control-system/plot-block.ts';
import { readPlotFile } from '../../../packages/control-system/read-plot-file.ts';
import { serverNow } from '../api/server-clock.ts';
import type { Attachment, Entry } from '../api/types.ts';
import { useViewport } from '../app/viewport.ts';
import { formatMoment } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { curveOf } from '../devices/curve-of.ts';
import { useCurveTexts } from '../devices/curve-texts.ts';
import { DeviceLink } from '../devices/device-link.tsx';
import { fetchFile } from './fetch-file.ts';
import { fileUrl } from './file-list.tsx';
import { LazyPlot } from './lazy-plot.tsx';
import './plot-block.css';

/** The parts of an entry that its plots need. */
export type PlottedEntry = Pick<Entry, 'attachments' | 'createdDate' | 'modifyDate' | 'events'>;

export interface PlotBlockProps {
  readonly lines: readonly string[];
  readonly entry: PlottedEntry;
  /** The file with the samples; undefined: they are not stored yet. */
  readonly file: Attachment | undefined;
  /** The lines of the block, which are shown while there is no plot. */
  readonly text: HTMLElement;
}

/** A plot of an entry from its stored samples, and a message for each line that is not used. */
export function PlotBlock({ lines, entry, file, text }: PlotBlockProps) {
  const { t } = useTranslation('plot');
  const { createdDate, modifyDate, events } = entry;
  const request = useMemo(
    () => readPlotBlock(lines, { aroundMs: createdDate, writtenMs: modifyDate ?? createdDate, events }),
    [lines, createdDate, modifyDate, events],
  );
  const { data: plot, error } = useQuery({
    queryKey: ['plot', file?.id] as const,
    queryFn: async ({ signal }) =>
      file ? (readPlotFile(await (await fetchFile(file, { signal })).text()) ?? null) : null,
    enabled: file !== undefined,
    // A file never changes.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const isDrawn = plot !== undefined && plot !== null;
  useLayoutEffect(() => {
    text.hidden = isDrawn;
  }, [text, isDrawn]);
  const hasFailed = file !== undefined && (error !== null || plot === null);
  return (
    <div className="plot-block">
      {isDrawn && file && (
        <>
          {plot.curves.map((curve) => (
            <PlotCurve key={curve.name} curve={curve} />
          ))}
          <img
            className="print-only"
            src={fileUrl(file, true)}
            alt={t('block.picture', { names: plot.curves.map(({ name }) => name).join(', ') })}
          />
        </>
      )}
      {hasFailed && <Hint>{t('block.unreadable', { name: file.filename })}</Hint>}
      {!file && (
        <Hint>{request.names.length === 0 ? t('block.noNames') : <Waiting entry={entry} endMs={request.endMs} />}</Hint>
      )}
      <Unused lines={request.unused} />
    </div>
  );
}

export type PlotSummaryProps = Pick<PlotBlockProps, 'lines' | 'text'>;

/** Shows the names and the range of a plot in an unsent text, in place of its lines. */
export function PlotSummary({ lines, text }: PlotSummaryProps) {
  const { t } = useTranslation('plot');
  const { names, unused } = useMemo(() => {
    const nowMs = serverNow();
    return readPlotBlock(lines, { aroundMs: nowMs, writtenMs: nowMs, events: undefined });
  }, [lines]);
  const hasNames = names.length > 0;
  useLayoutEffect(() => {
    text.hidden = hasNames;
  }, [text, hasNames]);
  const range = lines.find((line) => line.includes('..') && !unused.some((one) => one.line === line));
  return (
    <div className="plot-block">
      {hasNames && (
        <p className="plot-summary">
          <Icon of={ChartLine} />
          <span>{t('block.picture', { names: names.join(', ') })}</span>
          <code>{range ?? usualRange}</code>
        </p>
      )}
      {!hasNames && <Hint>{t('block.noNames')}</Hint>}
      <Unused lines={unused} />
    </div>
  );
}

/** The lines of a block that are not used, and why. */
function Unused({ lines }: { readonly lines: readonly UnusedLine[] }) {
  const { t } = useTranslation('plot');
  return lines.map(({ line, problem }) => (
    <Hint key={line}>{t(`block.unused.${problem}`, { line, max: plotLimits.names })}</Hint>
  ));
}

function Waiting({ entry, endMs }: { readonly entry: PlottedEntry; readonly endMs: number }) {
  const { t } = useTranslation('plot');
  if (entry.attachments.some(isRemoved)) return t('block.removed');
  return endMs > serverNow() ? t('block.waitsUntil', { when: formatMoment(endMs) }) : t('block.waits');
}

/** Whether this file replaces a redacted one. An entry from which a file was redacted receives no samples. */
function isRemoved({ filename, contentType }: Attachment): boolean {
  return filename === 'removed.txt' && contentType.startsWith('text/plain');
}

function PlotCurve({ curve }: { readonly curve: DeviceHistory }) {
  const { t } = useTranslation('plot');
  const texts = useCurveTexts();
  const height = useViewport() === 'phone' ? 120 : 150;
  const source = useMemo(() => curveOf(curve, [], texts, async () => curve), [curve, texts]);
  const { name, samples, problems, isCut } = curve;
  return (
    <>
      {samples.length > 0 && (
        <div className="file-plot">
          <LazyPlot {...{ source, name, height }} title={<DeviceLink name={name} />} />
        </div>
      )}
      {problems.map(({ code }) => (
        <Hint key={code}>{t(`block.missing.${code}`, { name })}</Hint>
      ))}
      {isCut && <Hint>{t('block.cut', { name })}</Hint>}
    </>
  );
}

function Hint({ children }: { readonly children: ReactNode }) {
  return (
    <p className="hint" role="status">
      {children}
    </p>
  );
}
