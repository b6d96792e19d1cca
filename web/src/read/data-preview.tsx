import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Attachment } from '../api/types.ts';
import { shownFileName } from '../components/file-name.ts';
import { LazyPlot } from './lazy-plot.tsx';
import { useTable } from './use-table.ts';

interface DataPreviewProps {
  readonly file: Attachment;
  /** Shown if the file is not a table of numbers, or cannot be read; it reports its own errors. */
  readonly otherwise: ReactNode;
}

/** A table of numbers as a plot, over the whole page. */
export function DataPreview({ file, otherwise }: DataPreviewProps) {
  const { t } = useTranslation('read');
  const { table, error } = useTable(file, true);
  if (table === 'none' || error) return otherwise;
  const loading = <div className="gallery-text" role="status" aria-label={t('loadingFile')} />;
  if (!table) return loading;
  return (
    <div className="gallery-text gallery-plot">
      <LazyPlot
        {...{ source: table, loading }}
        name={shownFileName(file.filename)}
        height={Math.max(200, innerHeight - 260)}
      />
    </div>
  );
}
