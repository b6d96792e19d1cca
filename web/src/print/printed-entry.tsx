import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import type { Entry } from '../api/types.ts';
import { formatId, formatMoment } from '../components/format.ts';
import { Level } from '../components/level.tsx';
import { PrintedFiles } from '../read/file-list.tsx';
import { Properties } from '../read/properties.tsx';
import { Prose } from '../read/prose.tsx';
import './print.css';
import '../read/prose.css';
import '../read/read.css';

/** An entry with its whole text, its properties and its pictures. */
export function PrintedEntry({ entry }: { readonly entry: Entry }) {
  const names = [...entry.logbooks, ...entry.tags].map(({ name }) => name).join(', ');
  return (
    <article className="printed-entry">
      <h2 dir="auto">{entry.title}</h2>
      <p className="meta">
        <Level level={entry.level} />
        <b>{entry.ownerName ?? entry.owner}</b>
        <span>{formatMoment(entry.createdDate)}</span>
        <span className="number">{formatId(entry.id)}</span>
        <span>{names}</span>
      </p>
      <Prose source={entry.source} plots={entry} isPrint />
      <Properties entry={entry} />
      <PrintedFiles files={entry.attachments} source={entry.source} />
    </article>
  );
}

export function PrintedAddress({ path }: { readonly path: string }) {
  const { t } = useTranslation('read');
  return (
    <p className="address">
      {`${location.origin}${path}`} · {t('printed', { when: formatMoment(serverNow()) })}
    </p>
  );
}
