import i18next from 'i18next';
import { ApiError } from '../api/api-error.ts';
import { showToast } from './toasts.ts';

/** Shows why an action of the user failed. */
export function showProblem(error: unknown): undefined {
  const isOffline = error instanceof ApiError && error.isOffline;
  const text = isOffline ? i18next.t('signInPage.offline') : error instanceof Error ? error.message : String(error);
  showToast(text, { tone: 'problem', durationMs: 10_000 });
}
