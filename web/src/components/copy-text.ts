import i18next from 'i18next';
import { showToast } from '../toasts/toasts.ts';

/** Copies the text and says so. Works over plain HTTP too, where browsers have no clipboard interface. */
export async function copyText(text: string, done = i18next.t('copied')): Promise<void> {
  if (await tryCopy(text)) showToast(done);
  else showToast(i18next.t('copyFailed'), { tone: 'problem' });
}

async function tryCopy(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not permitted: the older way may be.
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
