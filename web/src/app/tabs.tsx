import { Link } from '@tanstack/react-router';
import { ArrowLeftRight, Bookmark, Ellipsis, List, Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { loadOnUse } from '../components/load-on-use.tsx';
import { useNewEntryLink } from './new-entry.ts';

const MoreMenu = loadOnUse<object>(async () => (await import('../settings/more-menu.tsx')).MoreMenu);

/** The navigation at the bottom of a phone. */
export function Tabs() {
  const { t } = useTranslation();
  const newEntry = useNewEntryLink();
  return (
    <nav className="tabs" aria-label={t('navigation')}>
      <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
        <Icon of={List} />
        {t('entries')}
      </Link>
      <Link to="/saved">
        <Icon of={Bookmark} />
        {t('saved')}
      </Link>
      <Link {...newEntry} className="tab-write">
        <Icon of={Plus} />
        {t('write')}
      </Link>
      <Link to={'/hand-over' as '/'}>
        <Icon of={ArrowLeftRight} />
        {t('handOver')}
      </Link>
      <MoreMenu
        trigger={
          <button type="button">
            <Icon of={Ellipsis} />
            {t('more')}
          </button>
        }
      />
    </nav>
  );
}
