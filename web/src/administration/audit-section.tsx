import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import type { components } from '../api/schema.ts';
import { formatDay, formatTime } from '../components/format.ts';
import type { AdministrationSearch } from './administration-search.ts';
import { SectionFrame } from './section-frame.tsx';

type AuditRecord = components['schemas']['AuditRecord'];
type Filter = Pick<AdministrationSearch, 'user' | 'action' | 'outcome'>;

const pageSize = 100;
const outcomes = ['done', 'refused', 'failed'] as const;

/** The audit log: who did what, when and from where, newest first. */
export function AuditSection() {
  const { t } = useTranslation('administration');
  const { user, action, outcome } = useSearch({ strict: false }) as AdministrationSearch;
  const filter = { ...(user && { user }), ...(action && { action }), ...(outcome && { outcome }) };
  const query = useAudit(filter);
  const records = query.data?.pages.flat() ?? [];
  return (
    <SectionFrame
      title={t('sections.audit')}
      hint={query.data && records.length === 0 ? t('noRecords') : undefined}
      error={query.error}
      retry={() => void query.refetch()}
    >
      <AuditFilters key={JSON.stringify(filter)} {...filter} />
      {records.length > 0 && <AuditTable records={records} />}
      {query.hasNextPage && (
        <button type="button" className="button older" onClick={() => void query.fetchNextPage()}>
          {t('older')}
        </button>
      )}
    </SectionFrame>
  );
}

function useAudit(filter: Filter) {
  return useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: async ({ pageParam, signal }): Promise<AuditRecord[]> => {
      const query = { ...filter, size: pageSize, ...(pageParam > 0 && { before: pageParam }) };
      return dataOf(await api.GET('/audit', { params: { query }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

function AuditFilters({ user, action, outcome }: Filter) {
  const { t } = useTranslation('administration');
  const navigate = useNavigate();
  const apply = (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const chosen = Object.fromEntries(
      ['user', 'action', 'outcome'].map((name) => [name, text(name)]).filter(([, value]) => value !== ''),
    );
    void navigate({ to: '.', search: chosen as never });
  };
  return (
    <form
      className="audit-filters"
      onSubmit={(event) => {
        event.preventDefault();
        apply(new FormData(event.currentTarget));
      }}
    >
      <input className="input" name="user" aria-label={t('user')} placeholder={t('user')} defaultValue={user} />
      <input className="input" name="action" aria-label={t('action')} placeholder={t('action')} defaultValue={action} />
      <select className="input" name="outcome" aria-label={t('outcome')} defaultValue={outcome ?? ''}>
        <option value="">{t('anyOutcome')}</option>
        {outcomes.map((one) => (
          <option key={one} value={one}>
            {t(`outcomes.${one}`)}
          </option>
        ))}
      </select>
      <button type="submit" className="button">
        {t('filter')}
      </button>
    </form>
  );
}

function AuditTable({ records }: { readonly records: readonly AuditRecord[] }) {
  const { t } = useTranslation('administration');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on narrow screens
    <section className="scroll-box" aria-label={t('sections.audit')} tabIndex={0}>
      <table className="items records">
        <thead>
          <tr>
            {(['time', 'user', 'action', 'target', 'from', 'outcome'] as const).map((name) => (
              <th key={name}>{t(name)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map(({ id, date, userName, action, target, from, outcome, detail }) => (
            <tr key={id}>
              <td className="number">
                <time dateTime={new Date(date).toISOString()}>
                  {formatDay(date)} {formatTime(date, true)}
                </time>
              </td>
              <td>{userName}</td>
              <td>{action}</td>
              <td className="long">{target}</td>
              <td className="number">{from}</td>
              <td>
                <span className={outcome === 'done' ? undefined : 'refused'}>{t(`outcomes.${outcome}`)}</span>
                {detail !== '' && <div className="muted">{detail}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
