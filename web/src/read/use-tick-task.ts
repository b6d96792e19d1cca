import { useTranslation } from 'react-i18next';
import { toggleTask } from '../../../packages/markup/task-lists.ts';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import type { Entry } from '../api/types.ts';
import { fetchBase, submitEdit } from '../drafts/entry-requests.ts';
import { useUserOfPage } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import { entryQuery } from './entry-queries.ts';
import type { TickTask } from './task-boxes.ts';

/** Text that ticks have stored since an entry was shown: the next box may be ticked before the page shows that text. */
const storedTexts = new WeakMap<Entry, string>();
/** The last tick. The next one waits for it, because each is an edit of the version before it. */
let running: Promise<unknown> = Promise.resolve();

/**
 * Returns the function that ticks a task of an entry, by an edit of the shown version. Undefined for readers who may
 * not edit the entry.
 */
export function useTickTask(entry: Entry): TickTask | undefined {
  const { t } = useTranslation('read');
  const me = useUserOfPage();
  const closed = me?.logbooks.filter(({ write }) => !write).map(({ name }) => name);
  const isWriter = me?.permissions.includes('entries') === true && me.userName !== null;
  if (!isWriter || entry.logbooks.some(({ name }) => closed?.includes(name))) return undefined;
  const tick = async (line: number) => {
    const { queryKey } = entryQuery(String(entry.id));
    try {
      const { entry: current, ...base } = await fetchBase(entry.id);
      const known = storedTexts.get(entry) ?? entry.source;
      const text = current.source === known ? toggleTask(known, line) : undefined;
      if (text === undefined) {
        queryClient.setQueryData(queryKey, current);
        showToast(t('taskChanged'), { tone: 'problem' });
        return false;
      }
      const stored = await submitEdit(base, { ...base.content, text });
      for (const shown of [entry, queryClient.getQueryData(queryKey) ?? entry]) storedTexts.set(shown, stored.source);
      queryClient.setQueryData(queryKey, stored);
      return true;
    } catch (error) {
      const isChanged = error instanceof ApiError && error.status === 412;
      if (isChanged) void queryClient.invalidateQueries({ queryKey });
      if (isChanged) showToast(t('taskChanged'), { tone: 'problem' });
      else showProblem(error);
      return false;
    }
  };
  return (line) => {
    const ticked = running.then(() => tick(line));
    running = ticked;
    return ticked;
  };
}
