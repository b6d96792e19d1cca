import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { accessRulesQuery, granteesText, readersText, ruleOf } from './access-rules.ts';
import { logbooksQuery } from './catalog-queries.ts';
import { SectionFrame } from './section-frame.tsx';

/**
 * Shows who may read and write each logbook. Access is set in the service's configuration and cannot be changed here.
 */
export function AccessSection() {
  const { t } = useTranslation('administration');
  const rulesQuery = useQuery(accessRulesQuery);
  const { data: logbooks = [] } = useQuery(logbooksQuery);
  const rules = rulesQuery.data;
  const active = logbooks.filter(({ state }) => state === 'Active');
  return (
    <SectionFrame
      title={t('sections.access')}
      hint={t('hints.access')}
      error={rulesQuery.error}
      retry={() => void rulesQuery.refetch()}
    >
      {rules && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on narrow screens
        <section className="scroll-box" aria-label={t('sections.access')} tabIndex={0}>
          <table className="items">
            <thead>
              <tr>
                <th>{t('logbook')}</th>
                <th>{t('mayRead')}</th>
                <th>{t('mayWrite')}</th>
              </tr>
            </thead>
            <tbody>
              {active.map(({ name }) => {
                const rule = ruleOf(rules, name);
                return (
                  <tr key={name}>
                    <td>
                      <b>{name}</b>
                    </td>
                    <td>{readersText(t, rules, rule?.read ?? null)}</td>
                    <td>{granteesText(t, rules, rule?.write ?? null)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </SectionFrame>
  );
}
