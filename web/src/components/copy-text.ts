import i18next from 'i18next';
import { showToast } from '../toasts/toasts.ts';

/** A text with formatting, and a plain version for programs that accept no formatting. */
export interface RichText {
  readonly html: Promise<string>;
  readonly text: string;
}

/** Copies the text, and shows a message. Also works over plain HTTP, where browsers have no clipboard interface. */
export async function copyText(text: string, done = i18next.t('copied')): Promise<void> {
  report((await tryWriting(() => navigator.clipboard.writeText(text))) || copyAs({ 'text/plain': text }), done);
}

/** Copies the text with and without its formatting, and shows a message. */
export async function copyRichText({ html, text }: RichText, done: string): Promise<void> {
  const blob = (type: string, content: string) => new Blob([content], { type });
  // Started before the text is ready: browsers permit it only right after a key or a click.
  const write = () =>
    navigator.clipboard.write([
      new ClipboardItem({
        'text/html': html.then((content) => blob('text/html', content)),
        'text/plain': blob('text/plain', text),
      }),
    ]);
  report((await tryWriting(write)) || copyAs({ 'text/html': await html, 'text/plain': text }), done);
}

function report(isCopied: boolean, done: string): void {
  if (isCopied) showToast(done);
  else showToast(i18next.t('copyFailed'), { tone: 'problem' });
}

async function tryWriting(write: () => Promise<void>): Promise<boolean> {
  if (!window.isSecureContext) return false;
  try {
    await write();
    return true;
  } catch {
    // Not permitted; `copyAs` may still work.
    return false;
  }
}

/** Copies the texts by their types. Selects one of them, because some browsers copy only a selection. */
function copyAs(texts: Readonly<Record<string, string>>): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = texts['text/plain'] ?? '';
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const put = (event: ClipboardEvent) => {
    for (const [type, text] of Object.entries(texts)) event.clipboardData?.setData(type, text);
    event.preventDefault();
  };
  document.addEventListener('copy', put, { once: true });
  const isCopied = document.execCommand('copy');
  document.removeEventListener('copy', put);
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
