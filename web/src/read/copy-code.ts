import i18next from 'i18next';
import { copyText } from '../components/copy-text.ts';

/** Puts a button next to each block of code in a text, which copies the code. */
export function addCopyButtons(place: HTMLElement): void {
  for (const code of place.querySelectorAll<HTMLElement>('pre:not(.plain)')) {
    if (code.parentElement?.className === 'code-block') continue;
    const block = document.createElement('div');
    block.className = 'code-block';
    code.replaceWith(block);
    block.append(code, copyButton(code));
  }
}

function copyButton(code: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button small';
  button.textContent = i18next.t('read:copyCode');
  button.setAttribute('aria-label', i18next.t('read:copyCodeLabel'));
  button.onclick = () =>
    void copyText((code.querySelector('code') ?? code).textContent ?? '', i18next.t('read:codeCopied'));
  return button;
}
