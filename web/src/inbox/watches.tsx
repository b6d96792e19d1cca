import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Watch, WatchInput } from '../api/types.ts';
import { useFocusOfRest } from '../app/use-focus-back.ts';
import { formatId } from '../components/format.ts';
import { IconButton } from '../components/icon-button.tsx';
import { storedSearch } from '../find/saved-searches.tsx';
import { showToast } from '../toasts/toasts.ts';
import { addWatch, removeWatch } from './inbox-queries.ts';

interface WatchesProps {
  readonly watches: readonly Watch[];
}

/** The rules by which changes reach the inbox: two to switch on, and the watched searches and threads. */
export function Watches({ watches }: WatchesProps) {
  const { t } = useTranslation('inbox');
  const listed = watches.filter(({ kind }) => kind === 'search' || kind === 'thread');
  useFocusOfRest(listed.length);
  return (
    <section aria-label={t('watches')}>
      <h2>{t('watches')}</h2>
      <Choice kind="replies" watches={watches} />
      <Choice kind="mentions" watches={watches} />
      <ul>
        {listed.map((watch) => (
          <li key={watch.id}>
            <Subject watch={watch} />
            {watch.unread > 0 && <span className="muted number">{t('unreadCount', { count: watch.unread })}</span>}
            <IconButton icon={Trash2} label={t('stop')} onClick={() => run(removeWatch(watch.id))} />
          </li>
        ))}
      </ul>
      <p className="hint">{t('how')}</p>
    </section>
  );
}

interface ChoiceProps extends WatchesProps {
  readonly kind: Extract<WatchInput['kind'], 'replies' | 'mentions'>;
}

function Choice({ kind, watches }: ChoiceProps) {
  const { t } = useTranslation('inbox');
  const watch = watches.find((one) => one.kind === kind);
  return (
    <label className="inbox-choice">
      <input
        type="checkbox"
        checked={watch !== undefined}
        onChange={() => run(watch ? removeWatch(watch.id) : addWatch({ kind }))}
      />
      {t(`choices.${kind}`)}
    </label>
  );
}

function Subject({ watch: { kind, name, query = '', entryId = 0 } }: { readonly watch: Watch }) {
  const { t } = useTranslation('inbox');
  if (kind === 'thread') {
    return (
      <Link className="cut grow" to="/entries/$entryId" params={{ entryId: String(entryId) }}>
        {t('threadOf', { id: formatId(entryId) })}
      </Link>
    );
  }
  return (
    <Link className="cut grow" to="/" search={storedSearch(query)}>
      {name === '' ? query : name}
    </Link>
  );
}

function run(change: Promise<void>): void {
  change.catch((error: Error) => showToast(error.message, { tone: 'problem' }));
}
