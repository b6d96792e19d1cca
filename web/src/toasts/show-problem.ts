import { problemText } from '../api/api-error.ts';
import { showToast } from './toasts.ts';

/** Shows why an action of the user failed. */
export function showProblem(error: unknown): undefined {
  showToast(problemText(error), { tone: 'problem', durationMs: 10_000 });
}
