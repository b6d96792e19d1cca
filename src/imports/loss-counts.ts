import type { Difference } from './compare-entry.js';
import type { ImportedEntry } from './import-source.port.js';

/**
 * Losses that readers can notice, counted over all entries. An attached original is not a loss, but readers must open
 * it.
 */
export class LossCounts {
  missingImages = 0;
  /** Number of entries whose stored text lacks words of the original. */
  textsWithLostWords = 0;
  attachedOriginals = 0;

  /** Counts the losses of an entry; returns those that count as differences. */
  add({ key, losses }: ImportedEntry): Difference[] {
    if (!losses) return [];
    const { missingImages, lostWords, hasOriginal } = losses;
    this.missingImages += missingImages.length;
    if (lostWords.length > 0) this.textsWithLostWords += 1;
    if (hasOriginal) this.attachedOriginals += 1;
    const images = missingImages.map((address) => ({
      key,
      field: 'image',
      source: address.slice(0, 300),
      here: 'missing',
    }));
    if (lostWords.length === 0) return images;
    return [...images, { key, field: 'words of the text', source: lostWords.join(' ').slice(0, 300), here: 'missing' }];
  }
}
