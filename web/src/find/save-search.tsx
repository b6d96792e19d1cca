import { Bookmark } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { loadOnUse } from '../components/load-on-use.tsx';
import { useUserOfPage } from '../session/me.ts';
import type { SearchControlProps } from './search-control-props.ts';

type SaveSearchProps = Pick<SearchControlProps, 'search'>;

const SavePopover = loadOnUse<SaveSearchProps>(async () => (await import('./save-popover.tsx')).SavePopover);

/** Saves the search under a name, for oneself or for everyone. */
export function SaveSearch({ search }: SaveSearchProps) {
  const { t } = useTranslation('find');
  const me = useUserOfPage();
  if (typeof me?.userName !== 'string' || search.query === undefined) return null;
  const trigger = (
    <button type="button" className="button ghost small icon-only" aria-label={t('saveSearch')}>
      <Icon of={Bookmark} />
    </button>
  );
  return <SavePopover search={search} trigger={trigger} typedFor={`save ${search.query}`} />;
}
