import type { Difference } from './compare-entry.js';
import type { ImportedEntry } from './import-source.port.js';

/** Losses that readers notice, counted over all entries. Attached originals are none, but their readers open a file. */
export class LossCounts {
  missingImages = 0;
  /** Entries whose text here lacks words of the original. */
  textsWithLostWords = 0;
  attachedOriginals = 0;

  /** Counts the losses of an entry; returns those that make it unequal. */
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
