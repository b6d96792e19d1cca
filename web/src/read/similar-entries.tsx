import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import type { SimilarEntry } from '../api/types.ts';
import { Problem } from '../components/problem.tsx';
import type { SimilarLinesProps } from './similar-lines.tsx';

const SimilarLines = lazy(async () => {
  // An outage must not hide the entry.
  const loaded = await import('./similar-lines.tsx').catch(() => undefined);
  return { default: loaded?.SimilarLines ?? ((_: SimilarLinesProps) => null) };
});

/** The entries of similar meaning, read once the section is open. */
export function SimilarEntries({ to }: { readonly to: number }) {
  const { t } = useTranslation('read');
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="similar on-screen" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="section-title">{t('similar')}</summary>
      {isOpen && <SimilarList to={to} />}
    </details>
  );
}

function SimilarList({ to }: { readonly to: number }) {
  const { t } = useTranslation('read');
  const { data, error, refetch } = useQuery({
    queryKey: ['similar', to],
    queryFn: async ({ signal }): Promise<readonly SimilarEntry[]> =>
      dataOf(await api.GET('/logs/{logId}/similar', { params: { path: { logId: String(to) } }, signal })),
  });
  if (error && !data) return <Problem error={error} retry={() => void refetch()} />;
  if (data?.length === 0) return <p className="hint">{t('noSimilar')}</p>;
  return <Suspense>{data && <SimilarLines entries={data} />}</Suspense>;
}
