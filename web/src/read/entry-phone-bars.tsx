import { useNavigate } from '@tanstack/react-router';
import { ChevronLeft, CornerUpLeft, Link, Pencil } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { formatNumber } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { useFind } from '../find/find-context.ts';
import { MoreActions, Neighbours } from './entry-toolbar.tsx';
import { useEntryActions } from './use-entry-actions.ts';

/** Bar above an entry on a phone: back to the list, which keeps its scroll position, and the neighbours. */
export function EntryTop({ entry }: { readonly entry: Entry | undefined }) {
  const { t } = useTranslation('read');
  const navigate = useNavigate();
  const find = useFind();
  const back = () => void navigate({ to: '/', search: find?.search ?? {} });
  const { position = -1, hitCount } = find ?? {};
  return (
    <header className="phone-top">
      <IconButton icon={ChevronLeft} label={t('back')} onClick={back} />
      <span className="grow muted number">
        {position >= 0 && hitCount !== undefined
          ? t('position', { at: formatNumber(position + 1), of: formatNumber(hitCount) })
          : ''}
      </span>
      <Neighbours />
      {entry && <MoreActions entry={entry} />}
    </header>
  );
}

/** Bar below an entry on a phone: the most frequent actions, as a landmark of the page. */
export function EntryFoot({ entry }: { readonly entry: Entry }) {
  const { t } = useTranslation('read');
  const actions = useEntryActions(entry);
  return (
    <section aria-label={t('actions')}>
      <div className="phone-foot" role="toolbar" aria-label={t('actions')}>
        <button type="button" className="button big grow" onClick={actions.reply}>
          <Icon of={CornerUpLeft} />
          {t('reply')}
        </button>
        <button type="button" className="button big" aria-label={t('edit')} onClick={actions.edit}>
          <Icon of={Pencil} />
        </button>
        <button type="button" className="button big" aria-label={t('copyLink')} onClick={actions.copyLink}>
          <Icon of={Link} />
        </button>
      </div>
    </section>
  );
}
