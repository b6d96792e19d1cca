import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error.ts';
import { Problem } from '../components/problem.tsx';
import { TypedWords } from '../keys/typed-words.tsx';
import { ToastRegion } from '../toasts/toast-region.tsx';
import { type Prefill, prefillOf } from './prefill.ts';
import { useOpenedDraft, type WriteSearch } from './use-draft.ts';
import './write.css';
import { Writer } from './writer.tsx';

/** The page to write a new entry, a reply or an edit. */
export function WritePage() {
  const { t } = useTranslation('write');
  const { draftId } = useParams({ strict: false }) as { draftId?: string };
  const { reply, edit, version, ...others } = useSearch({ strict: false }) as WriteSearch & Record<string, unknown>;
  const prefill = JSON.stringify(prefillOf(others));
  const search = useMemo(
    () => ({ reply, edit, version, ...(prefill !== '{}' && { prefill: JSON.parse(prefill) as Prefill }) }),
    [reply, edit, version, prefill],
  );
  const opening = useOpenedDraft(draftId, search);
  if (opening && 'open' in opening) return <Writer key={opening.key} open={opening.open} />;
  return (
    <div className="app">
      <h1 className="visually-hidden">{t('newEntry')}</h1>
      <main>
        {opening && (
          <>
            <Problem
              error={opening.error}
              entryId={missingEntry(opening.error, reply ?? edit)}
              retry={() => location.reload()}
            />
            <TypedWords />
          </>
        )}
      </main>
      <ToastRegion />
    </div>
  );
}

function missingEntry(error: unknown, id: string | undefined): string | undefined {
  return error instanceof ApiError && error.status === 404 ? id : undefined;
}
