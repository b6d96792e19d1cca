import { ChartLine } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Attachment } from '../api/types.ts';
import { useViewport } from '../app/viewport.ts';
import { shownFileName } from '../components/file-name.ts';
import { formatBytes } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { LazyPlot } from './lazy-plot.ts';
import { useTable } from './use-table.ts';

export interface FilePlotsProps {
  /** Files that are named as data. */
  readonly files: readonly Attachment[];
  readonly onShow: (id: string) => void;
}

/** The others are in the gallery. */
const maxPlots = 4;
/** Larger files are fetched when a reader asks for them. */
const maxUnaskedBytes = 1_000_000;

/** The data of an entry, as curves below its files. */
export function FilePlots({ files, onShow }: FilePlotsProps) {
  return files.slice(0, maxPlots).map((file) => <FilePlot key={file.id} file={file} onShow={onShow} />);
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
    <Suspense fallback={loading}>
      <div className="file-plot">
        <LazyPlot
          {...{ source: table, name, height }}
          title={
            <button type="button" className="plot-title cut" title={name} onClick={() => onShow(file.id)}>
              {name}
            </button>
          }
        />
      </div>
    </Suspense>
  );
}
