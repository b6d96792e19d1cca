import i18next from 'i18next';
import { api } from '../api/api.ts';
import { queryClient } from '../api/query-client.ts';
import { showToast } from '../toasts/toasts.ts';

/** Makes one thread of the entries, and says so. True when it was done. */
export async function groupEntries(ids: readonly number[]): Promise<boolean> {
  try {
    await api.POST('/logs/group', { body: [...ids] });
  } catch (error) {
    showToast(error instanceof Error ? error.message : String(error), { tone: 'problem' });
    return false;
  }
  showToast(i18next.t('grouped'));
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => ['entries', 'entry', 'thread'].includes(String(queryKey[0])),
  });
  return true;
}
