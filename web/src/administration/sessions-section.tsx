import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import type { components } from '../api/schema.ts';
import { formatDay, formatTime } from '../components/format.ts';
import { meQuery } from '../session/me.ts';
import { RowAction } from './row-action.tsx';
import { SectionFrame } from './section-frame.tsx';

type Session = components['schemas']['Session'];

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }): Promise<Session[]> => dataOf(await api.GET('/sessions', { signal })),
  staleTime: 0,
});

/** The user's open sessions. */
export function SessionsSection() {
  const { t } = useTranslation('administration');
  const query = useQuery(sessionsQuery);
  const sessions = query.data ?? [];
  return (
    <SectionFrame
      title={t('sections.sessions')}
      summary={query.data && t('sessions', { count: sessions.length })}
      hint={t('hints.sessions')}
      error={query.error}
      retry={() => void query.refetch()}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on narrow screens */}
      <section className="scroll-box" aria-label={t('sections.sessions')} tabIndex={0}>
        <table className="items">
          <thead>
            <tr>
              <th>{t('signedInOn')}</th>
              <th>{t('from')}</th>
              <th>{t('endsWithoutUse')}</th>
              <th>
                <span className="visually-hidden">{t('actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {sessions.map((session) => (
              <tr key={session.id}>
                <td>
                  <b>
                    {formatDay(session.createdDate)} {formatTime(session.createdDate)}
                  </b>
                </td>
                <td className="number">{session.from}</td>
                <td className="number">
                  {formatDay(session.expiresDate)} {formatTime(session.expiresDate)}
                </td>
                <td className="right">
                  <EndSession session={session} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </SectionFrame>
  );
}

function EndSession({ session }: { readonly session: Session }) {
  const { t } = useTranslation('administration');
  const when = `${formatDay(session.createdDate)} ${formatTime(session.createdDate)}`;
  return (
    <RowAction
      label={t('endSession')}
      fullLabel={t('endSessionOf', { when, from: session.from })}
      run={() => api.DELETE('/sessions/{id}', { params: { path: { id: session.id } } })}
      done={t('sessionEnded')}
      // The ended session may be that of this browser, so the user is read again, too.
      renewed={[meQuery.queryKey, sessionsQuery.queryKey]}
    />
  );
}
