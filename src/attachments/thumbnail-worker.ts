import { endWithParent } from '../kernel/end-with-parent.js';
import { makeThumbnail } from './thumbnail-image.js';
import type { Greeting, ImageMessage, ThumbnailAnswer } from './thumbnail-process.js';

/** Program of the thumbnail process, which answers each image with its thumbnail. */

/** Formats that are read. Others are refused unread, because some can refer to other files, or run scripts. */
const loaders = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((format) => `VipsForeignLoad${format}`);

endWithParent(Number(process.argv[3]), Number(process.argv[2]));

const library = await import('sharp').catch(() => undefined);
let parts: Uint8Array[] = [];

process.on('message', (message: ImageMessage) => {
  if (message.kind === 'part') {
    parts.push(message.content);
    return;
  }
  const image = Buffer.concat(parts.splice(0));
  void toThumbnail(image, message.size).then((thumbnail) => process.send?.(thumbnail ?? null));
});

if (library) {
  const { default: sharp } = library;
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: loaders });
}
process.send?.((library ? 'ready' : 'unavailable') satisfies Greeting);

async function toThumbnail(image: Buffer, size: number): Promise<ThumbnailAnswer> {
  if (!library) return undefined;
  try {
    return await makeThumbnail(library.default, image, size);
  } catch {
    return undefined;
  } finally {
    parts = [];
  }
}
