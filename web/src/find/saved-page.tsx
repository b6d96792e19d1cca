import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bookmark, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { api } from '../api/api.ts';
import { SidePage } from '../app/side-page.tsx';
import { useFocusOfRest } from '../app/use-focus-back.ts';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { Problem, Void } from '../components/problem.tsx';
import { CountSearches } from '../inbox/count-searches.tsx';
import { UnreadOfSearch } from '../inbox/unread-of-search.tsx';
import { useMe } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { savedSearchesQuery, storedSearch } from './saved-searches.tsx';
import './saved-page.css';

/** Lists the saved searches. Users can remove their own, and administrators can also remove shared ones. */
export function SavedPage() {
  const { t } = useTranslation('find');
  const client = useQueryClient();
  const me = useMe();
  const isAdministrator = me?.permissions.includes('admin') === true;
  const isSignedIn = typeof me?.userName === 'string';
  const { data: saved, error, refetch } = useQuery({ ...savedSearchesQuery, enabled: isSignedIn });
  useFocusOfRest(saved?.length);
  const remove = async (id: string) => {
    await api.DELETE('/me/searches/{id}', { params: { path: { id } } }).catch(showProblem);
    await client.invalidateQueries({ queryKey: ['saved-searches'] });
  };
  return (
    <SidePage className="saved">
      <h1>{t('savedSearches')}</h1>
      <CountSearches search={undefined} isListed />
      {error && <Problem error={error} retry={() => void refetch()} />}
      {me && !isSignedIn && <Void icon={Bookmark} title={t('savedSignIn')} />}
      {saved?.length === 0 && <Void icon={Bookmark} title={t('savedNone')} text={t('savedHow')} />}
      <ul>
        {saved?.map(({ id, name, query, own, shared, owner, ownerName }) => (
          <li key={id}>
            <Link to="/" search={storedSearch(query)}>
              <Icon of={Bookmark} />
              <span className="cut grow">{name}</span>
              <UnreadOfSearch id={id} />
            </Link>
            {shared && (
              <span className="muted">{own ? t('sharedByMe') : t('sharedBy', { name: ownerName ?? owner })}</span>
            )}
            {(own || (shared && isAdministrator)) && (
              <IconButton
                icon={Trash2}
                className="ghost danger"
                label={t('removeSaved', { name })}
                onClick={() => void remove(id)}
              />
            )}
          </li>
        ))}
      </ul>
    </SidePage>
  );
}
