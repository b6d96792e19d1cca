import i18next from 'i18next';
import { ChartLine } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Attachment } from '../api/types.ts';
import { useViewport } from '../app/viewport.ts';
import { shownFileName } from '../components/file-name.ts';
import { formatBytes } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import type { DataBrowserFileProps } from './data-browser-plot.tsx';
import { isDataBrowserFile } from './data-files.ts';
import { LazyPlot } from './lazy-plot.tsx';
import { useTable } from './use-table.ts';

const DataBrowserFile = lazy(async () => {
  const [loaded] = await Promise.all([
    import('./data-browser-plot.tsx').catch(() => undefined),
    i18next.loadNamespaces(['plot', 'device']),
  ]);
  return { default: loaded?.DataBrowserFile ?? ((_: DataBrowserFileProps) => null) };
});

export interface FilePlotsProps {
  /** Files that are named as data. */
  readonly files: readonly Attachment[];
  /** Date of the entry, in milliseconds since the epoch. */
  readonly createdDate: number;
  readonly onShow: (id: string) => void;
}

/** Maximum number of plots below the files; the others are in the gallery. */
const maxPlots = 4;
/** Larger files are fetched when a reader asks for them. */
const maxUnaskedBytes = 1_000_000;

/** The data of an entry, as curves below its files. */
export function FilePlots({ files, createdDate, onShow }: FilePlotsProps) {
  return files.slice(0, maxPlots).map((file) =>
    isDataBrowserFile(file) ? (
      <Suspense key={file.id}>
        <DataBrowserFile file={file} createdDate={createdDate} />
      </Suspense>
    ) : (
      <FilePlot key={file.id} file={file} onShow={onShow} />
    ),
  );
}

function FilePlot({ file, onShow }: { readonly file: Attachment; readonly onShow: (id: string) => void }) {
  const { t } = useTranslation('read');
  const [isWanted, want] = useState(file.size <= maxUnaskedBytes);
  const { table, error } = useTable(file, isWanted);
  const height = useViewport() === 'phone' ? 140 : 200;
  const name = shownFileName(file.filename);
  // The file itself is in the list above, whatever it is.
  if (error || table === 'none') return null;
  if (!isWanted) {
    return (
      <button type="button" className="button small file-plot" onClick={() => want(true)}>
        <Icon of={ChartLine} />
        {t('plotFile', { name, size: formatBytes(file.size) })}
      </button>
    );
  }
  const loading = <div className="file-plot" role="status" aria-label={t('loadingFile')} style={{ height }} />;
  if (!table) return loading;
  return (
    <div className="file-plot">
      <LazyPlot
        {...{ source: table, name, height, loading }}
        title={
          <button type="button" className="plot-title cut" title={name} onClick={() => onShow(file.id)}>
            {name}
          </button>
        }
      />
    </div>
  );
}
