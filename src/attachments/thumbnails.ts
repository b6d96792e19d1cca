import { LRUCache } from 'lru-cache';
import { upTo } from '../kernel/cache-limits.js';
import type { Log } from '../kernel/log.js';
import type { Attachment } from './attachment.js';
import type { BlobStore } from './blob-store.port.js';
import { ThumbnailProcess } from './thumbnail-process.js';
import type { ThumbnailStore } from './thumbnail-store.port.js';

/** The largest width and height of a thumbnail, in pixels. */
export const thumbnailSizes = [160, 320, 640] as const;
export type ThumbnailSize = (typeof thumbnailSizes)[number];

/** Of images from which thumbnails are made: an SVG can contain scripts, and refer to other files. */
const types = /^image\/(?:jpeg|png|apng|gif|webp|avif|tiff)$/;
/** Larger files have no thumbnail. */
const maxImageBytes = 67_108_864;
/** How many images that cannot be read are remembered. */
const maxUnreadable = 10_000;

interface Deps {
  readonly blobs: BlobStore;
  readonly store: ThumbnailStore;
  readonly log: Log;
}

/** Makes thumbnails of images when they are asked for, each once, one after the other. */
export class Thumbnails {
  private readonly process = new ThumbnailProcess();
  private readonly stopping = new AbortController();
  private readonly inFlight = new Map<string, Promise<Uint8Array | undefined>>();
  /** Their keys; a restart tries again. */
  private readonly unreadable = new LRUCache<string, true>(upTo(maxUnreadable));
  private previous: Promise<unknown> = Promise.resolve();
  private isInstalled = true;

  constructor(private readonly deps: Deps) {}

  /**
   * Returns the thumbnail of an attachment as WebP, never larger than the image; undefined when it is no image, cannot be
   * read, or the library is not installed.
   * @throws Fault broken `attachment.unreadable`; Error when the service stops
   */
  async find(attachment: Attachment, size: ThumbnailSize): Promise<Uint8Array | undefined> {
    const { checksum, contentType, size: bytes } = attachment;
    const key = `${checksum}-${size}`;
    if (!this.isInstalled || !types.test(contentType) || bytes > maxImageBytes || this.unreadable.has(key)) {
      return undefined;
    }
    const stored = await this.deps.store.find(key);
    if (stored) return stored;
    let making = this.inFlight.get(key);
    if (!making) {
      making = this.inTurn(() => this.make(attachment, size, key)).finally(() => this.inFlight.delete(key));
      this.inFlight.set(key, making);
    }
    return making;
  }

  /** Ends what is being made. */
  async close(): Promise<void> {
    this.stopping.abort(new Error('the service is stopping'));
    await this.previous;
    this.process.close();
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.previous.then(work);
    this.previous = done.catch(() => undefined);
    return done;
  }

  private async make(attachment: Attachment, size: ThumbnailSize, key: string): Promise<Uint8Array | undefined> {
    const { signal } = this.stopping;
    if (!(await this.checkInstalled(signal))) return undefined;
    const content = await this.deps.blobs.open(attachment, undefined, signal);
    try {
      const thumbnail = await this.process.make(content, size, signal);
      if (thumbnail) await this.deps.store.put(key, thumbnail);
      else this.unreadable.set(key, true);
      return thumbnail;
    } finally {
      content.destroy();
    }
  }

  private async checkInstalled(signal: AbortSignal): Promise<boolean> {
    if (!this.isInstalled) return false;
    this.isInstalled = await this.process.isAvailable(signal);
    if (!this.isInstalled) this.deps.log.warn({}, 'no thumbnails: the package sharp is not installed');
    return this.isInstalled;
  }
}
