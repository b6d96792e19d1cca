import i18next from 'i18next';
import { decoded } from '../components/decoded.ts';

/**
 * Shows a box with its description in place of each image that cannot be loaded. Returns a function that stops this.
 */
export function markMissingImages(place: HTMLElement): () => void {
  const replace = ({ target }: Event) => {
    if (!(target instanceof HTMLImageElement)) return;
    const box = document.createElement('span');
    const name = target.alt || decoded(target.dataset.attachment ?? '');
    box.className = 'missing-image';
    box.textContent = i18next.t('missingImage', { name });
    target.replaceWith(box);
  };
  // The event does not bubble.
  place.addEventListener('error', replace, true);
  return () => place.removeEventListener('error', replace, true);
}
