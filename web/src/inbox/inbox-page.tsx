import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Me, Watch } from '../api/types.ts';
import { SidePage } from '../app/side-page.tsx';
import { useFocusOfRest } from '../app/use-focus-back.ts';
import { Problem, Void } from '../components/problem.tsx';
import { useMe } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { Delivery } from './delivery.tsx';
import { InboxItemRow } from './inbox-item.tsx';
import { inboxQuery, markRead, watchesQuery } from './inbox-queries.ts';
import { Watches } from './watches.tsx';
import './inbox-page.css';

/** The changes that concern the user, and the rules by which they get here. */
export function InboxPage() {
  const { t } = useTranslation('inbox');
  const me = useMe();
  const isSignedIn = typeof me?.userName === 'string';
  const { data: watches = [] } = useQuery(watchesQuery(me?.userName));
  return (
    <SidePage className="inbox">
      {me && !isSignedIn && (
        <>
          <h1>{t('title')}</h1>
          <Void icon={Inbox} title={t('signIn')} />
        </>
      )}
      {isSignedIn && <Items userName={me?.userName} watches={watches} />}
      {isSignedIn && <Watches watches={watches} />}
      {isSignedIn && <Delivery />}
    </SidePage>
  );
}

interface ItemsProps {
  readonly userName: Me['userName'] | undefined;
  readonly watches: readonly Watch[];
}

function Items({ userName, watches }: ItemsProps) {
  const { t } = useTranslation('inbox');
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(inboxQuery(userName));
  const items = data?.pages.flatMap((page) => page.items);
  const [newest] = items ?? [];
  const unread = data?.pages[0]?.unread ?? 0;
  // Each of the two buttons disappears when it is pressed.
  useFocusOfRest((unread > 0 ? 1 : 0) + (hasNextPage ? 1 : 0));
  const readAll = () => {
    if (newest) markRead({ upTo: newest.id }).catch(showProblem);
  };
  return (
    <>
      <div className="inbox-head">
        <h1 className="grow">{t('title')}</h1>
        {unread > 0 && (
          <button type="button" className="button small" onClick={readAll}>
            {t('readAll', { count: unread })}
          </button>
        )}
      </div>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {items?.length === 0 && <Void icon={Inbox} title={t('empty')} text={t('how')} />}
      <ul className="inbox-items">
        {items?.map((item) => (
          <InboxItemRow key={item.id} item={item} watches={watches} />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          {t('earlier')}
        </button>
      )}
    </>
  );
}
