import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { FindSearch } from './find-search.ts';
import { type QueryTerm, termsOf, timesOf } from './query-terms.ts';

const maxListed = 3;

/** Says in words what is searched for. */
export function Understood({ search }: { readonly search: FindSearch }) {
  const { t } = useTranslation('find');
  const terms = termsOf(search.query);
  if (terms.length === 0) return <span className="cut">{t('understoodAll')}</span>;
  const parts = [
    ...wordParts(terms),
    ...terms.flatMap((term) => (term.kind === 'filter' && term.values.length > 0 ? [filterPart(t, term)] : [])),
  ];
  const { start, end } = timesOf(search.query);
  const time =
    start === undefined && end === undefined
      ? undefined
      : isAmount(start) && (end === undefined || end === 'now')
        ? t('last', { time: isKnownAmount(start) ? t(`amounts.${start}`) : start })
        : [start && t('from', { time: start }), end && t('until', { time: end })].filter(Boolean).join(' ');
  return (
    <span className="cut">
      {t('understood')}{' '}
      {parts.filter(Boolean).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity
        <Fragment key={at}>
          {at > 0 && ', '}
          {part}
        </Fragment>
      ))}
      {time !== undefined && (
        <>
          {parts.some(Boolean) && ', '}
          <b>{time}</b>
        </>
      )}
    </span>
  );
}

const known = ['1 hour', '8 hours', '24 hours', '3 days', '1 week', '1 month', '1 year'] as const;

/** Whether there is a translation of the amount. */
export function isKnownAmount(time: string): time is (typeof known)[number] {
  return (known as readonly string[]).includes(time);
}

/** Whether the time is an amount before now, such as `3 days`, unlike `2026-03-01`. */
function isAmount(time: string | undefined): time is string {
  return time !== undefined && /^[\d.,\s]+[a-z]/i.test(time) && !time.includes('-');
}

function wordParts(terms: readonly QueryTerm[]): ReactNode[] {
  return terms.flatMap((term): ReactNode[] => {
    if (term.kind === 'filter') return [];
    const text = term.kind === 'flag' ? term.flag : term.kind === 'phrase' ? `“${term.text}”` : term.text;
    return [term.excluded ? <del key={text}>{text}</del> : <b key={text}>{text}</b>];
  });
}

type Translate = ReturnType<typeof useTranslation<'find'>>['t'];

function filterPart(t: Translate, term: Extract<QueryTerm, { kind: 'filter' }>): ReactNode {
  if (term.key === 'start' || term.key === 'end') return undefined;
  const { key, values, excluded } = term;
  const listed =
    values.length > maxListed
      ? t(`many.${key}`, { count: values.length })
      : values.join(excluded ? ', ' : ` ${t('orWord')} `);
  const text = t(`in.${key}`, { values: listed });
  return excluded ? (
    <>
      {t('without')} <b>{text}</b>
    </>
  ) : (
    <b>{text}</b>
  );
}
