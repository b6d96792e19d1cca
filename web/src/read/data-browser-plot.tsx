import { useQuery } from '@tanstack/react-query';
import { ChartLine } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeviceHistory } from '../../../packages/control-system/device-view.ts';
import { api, dataOf } from '../api/api.ts';
import type { Attachment } from '../api/types.ts';
import { useViewport } from '../app/viewport.ts';
import { shownFileName } from '../components/file-name.ts';
import { formatBytes } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { curveOf } from '../devices/curve-of.ts';
import { useCurveTexts } from '../devices/curve-texts.ts';
import { curvesOf } from '../devices/curves-of.ts';
import { DeviceLink } from '../devices/device-link.tsx';
import { type DataBrowserPlot, readDataBrowser } from './data-browser.ts';
import { type DataBrowserAxis, maxDevices } from './data-browser-axes.ts';
import type { DataBrowserRange } from './data-browser-range.ts';
import { fetchFile } from './fetch-file.ts';
import { LazyPlot } from './lazy-plot.tsx';

export interface DataBrowserFileProps {
  readonly file: Attachment;
  /** Date of the entry, in milliseconds since the epoch. */
  readonly createdDate: number;
}

/** The plot that a file of the Data Browser describes. Its curves are read when a reader asks for them. */
export function DataBrowserFile({ file, createdDate }: DataBrowserFileProps) {
  const { t } = useTranslation('read');
  const [isWanted, want] = useState(false);
  const { data: plot } = useQuery({
    queryKey: ['data-browser', file.id, createdDate] as const,
    queryFn: async ({ signal }) =>
      readDataBrowser(await (await fetchFile(file, { signal })).text(), createdDate) ?? null,
    // A file never changes.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  // The file itself is in the list above, whatever it is.
  if (!plot) return null;
  const name = shownFileName(file.filename);
  if (isWanted) return <Curves plot={plot} title={plot.title || name} />;
  return (
    <button type="button" className="button small file-plot" onClick={() => want(true)}>
      <Icon of={ChartLine} />
      {t('plotFile', { name, size: formatBytes(file.size) })}
    </button>
  );
}

/** Maximum number of samples: of all curves together, and of a single curve. */
const [maxSamples, maxCurveSamples] = [4_800, 2_000];

interface Missing {
  readonly name: string;
  readonly message: string;
}

function Curves({ plot, title }: { readonly plot: DataBrowserPlot; readonly title: string }) {
  const { t } = useTranslation('plot');
  const { axes, range, omittedDevices } = plot;
  const names = [...new Set(axes.flatMap(({ devices }) => devices))];
  const { data: read } = useQuery({
    queryKey: ['data-browser', names, range] as const,
    queryFn: ({ signal }) => Promise.all(names.map((name) => readCurve(name, range, names.length, signal))),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
  });
  if (!read) {
    return (
      <div className="file-plot" role="status" aria-label={t('reading', { name: title })} style={{ height: 150 }} />
    );
  }
  const missing = read.filter((one) => 'message' in one);
  return (
    <section aria-label={title}>
      {axes.map((axis) => (
        <AxisPlot key={`${axis.name} ${axis.devices.join()}`} {...{ axis, read, title }} />
      ))}
      {missing.map(({ name, message }) => (
        <Hint key={name}>{message}</Hint>
      ))}
      {read.flatMap((curve) =>
        'message' in curve
          ? []
          : curve.problems.map(({ code }) => (
              <Hint key={`${curve.name} ${code}`}>{t(`block.missing.${code}`, { name: curve.name })}</Hint>
            )),
      )}
      {omittedDevices.map((device) => (
        <Hint key={device}>{t('block.unused.names', { line: device, max: maxDevices })}</Hint>
      ))}
    </section>
  );
}

/** Reads the values of a device. Returns the reason on failure, so that the other curves are still shown. */
async function readCurve(
  name: string,
  range: DataBrowserRange,
  curves: number,
  signal: AbortSignal,
): Promise<DeviceHistory | Missing> {
  const params = {
    path: { name },
    query: { ...range, points: Math.min(maxCurveSamples, Math.floor(maxSamples / curves)) },
  };
  try {
    const history: DeviceHistory = dataOf(await api.GET('/devices/{name}/history', { params, signal }));
    return history;
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    return { name, message: error.message };
  }
}

interface AxisPlotProps {
  readonly axis: DataBrowserAxis;
  readonly read: readonly (DeviceHistory | Missing)[];
  readonly title: string;
}

/** The curves of one axis. A single curve also shows the lowest and highest values if it is binned. */
function AxisPlot({ axis, read, title }: AxisPlotProps) {
  const texts = useCurveTexts();
  const height = useViewport() === 'phone' ? 140 : 200;
  const source = useMemo(() => {
    const drawn = read.filter(
      (one): one is DeviceHistory => 'samples' in one && one.samples.length > 0 && axis.devices.includes(one.name),
    );
    const [first, second] = drawn;
    if (!first) return undefined;
    return second ? curvesOf(drawn, texts.time) : curveOf(first, [], texts, async () => first);
  }, [axis, read, texts]);
  if (!source) return null;
  const [device = ''] = axis.devices;
  const name = [title, axis.name ?? axis.devices.join(', ')].join(': ');
  return (
    <div className="file-plot">
      <LazyPlot
        {...{ source, name, height }}
        isLogY={axis.isLog}
        title={axis.devices.length === 1 && axis.name === undefined ? <DeviceLink name={device} /> : undefined}
      />
    </div>
  );
}

function Hint({ children }: { readonly children: string }) {
  return (
    <p className="hint" role="status">
      {children}
    </p>
  );
}
