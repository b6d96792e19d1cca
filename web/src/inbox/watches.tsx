import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Watch, WatchInput } from '../api/types.ts';
import { useFocusOfRest } from '../app/use-focus-back.ts';
import { formatId } from '../components/format.ts';
import { IconButton } from '../components/icon-button.tsx';
import { storedSearch } from '../find/saved-searches.tsx';
import { handOverProperty } from '../hand-over/hand-over.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { addWatch, removeWatch, watchQuery } from './inbox-queries.ts';

/** Query that finds hand-overs. Replies of those who take over have other attributes. */
export const handOversQuery = watchQuery(`property=${handOverProperty}.shift`);

interface WatchesProps {
  readonly watches: readonly Watch[];
}

/** The rules by which changes reach the inbox: three to switch on, and the watched searches and threads. */
export function Watches({ watches }: WatchesProps) {
  const { t } = useTranslation('inbox');
  const find = (kind: Watch['kind']) => watches.find((one) => one.kind === kind);
  const handOvers = watches.find(({ query }) => query === handOversQuery);
  const listed = watches.filter((one) => one !== handOvers && (one.kind === 'search' || one.kind === 'thread'));
  useFocusOfRest(listed.length);
  return (
    <section aria-label={t('watches')}>
      <h2>{t('watches')}</h2>
      <Choice label={t('choices.replies')} wanted={{ kind: 'replies' }} watch={find('replies')} />
      <Choice label={t('choices.mentions')} wanted={{ kind: 'mentions' }} watch={find('mentions')} />
      <Choice
        label={t('choices.handOvers')}
        wanted={{ kind: 'search', name: t('choices.handOvers'), query: handOversQuery }}
        watch={handOvers}
      />
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

interface ChoiceProps {
  readonly label: string;
  readonly wanted: WatchInput;
  /** Undefined: the choice is off. */
  readonly watch: Watch | undefined;
}

function Choice({ label, wanted, watch }: ChoiceProps) {
  return (
    <label className="inbox-choice">
      <input
        type="checkbox"
        checked={watch !== undefined}
        onChange={() => run(watch ? removeWatch(watch.id) : addWatch(wanted))}
      />
      {label}
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
  change.catch(showProblem);
}
