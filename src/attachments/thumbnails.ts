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

/** Maximum number of thumbnails that are made at the same time, each in a separate process. */
const thumbnailProcesses = 2;

/** Types of images with thumbnails. SVG is excluded, because it can contain scripts and refer to other files. */
const types = /^image\/(?:jpeg|png|apng|gif|webp|avif|tiff)$/;
/** Maximum size of a file with a thumbnail. */
const maxImageBytes = 67_108_864;
/** Maximum number of unreadable images that are remembered. */
const maxUnreadable = 10_000;
/** Revision of the rendering. Raise it when thumbnails change, so that earlier ones are no longer shown. */
const revision = 3;

interface Deps {
  readonly blobs: BlobStore;
  readonly store: ThumbnailStore;
  readonly log: Log;
}

/** Result of a search for a thumbnail, which may have to be made. */
export type FoundThumbnail =
  | { readonly kind: 'made'; readonly content: Uint8Array }
  | { readonly kind: 'unmade' }
  /** The attachment is not a readable image, or the library is not installed. */
  | { readonly kind: 'none' };

/** Makes thumbnails of images on request, each only once. */
export class Thumbnails {
  private readonly processes = Array.from({ length: thumbnailProcesses }, () => new ThumbnailProcess());
  private readonly idle = [...this.processes];
  private readonly waiting: ((process: ThumbnailProcess) => void)[] = [];
  private readonly stopping = new AbortController();
  private readonly inFlight = new Map<string, Promise<Uint8Array | undefined>>();
  /** Keys of images that cannot be read; a restart tries again. */
  private readonly unreadable = new LRUCache<string, true>(upTo(maxUnreadable));
  private isInstalled = true;

  constructor(private readonly deps: Deps) {}

  /** Returns the key of a thumbnail, which changes when the thumbnail would look different. */
  static keyOf({ checksum }: Attachment, size: ThumbnailSize): string {
    return `${checksum}-${size}-${revision}`;
  }

  /** Returns the thumbnail of an attachment if it has already been made. */
  async find(attachment: Attachment, size: ThumbnailSize): Promise<FoundThumbnail> {
    const key = Thumbnails.keyOf(attachment, size);
    const isImage = types.test(attachment.contentType) && attachment.size <= maxImageBytes;
    if (!this.isInstalled || !isImage || this.unreadable.has(key)) return { kind: 'none' };
    const content = await this.deps.store.find(key);
    return content ? { kind: 'made', content } : { kind: 'unmade' };
  }

  /**
   * Returns the thumbnail of an attachment as WebP, and makes it if `find` does not find it; undefined when there is
   * none. Must be called in the turn of a client, with at most as many calls at the same time as there are processes.
   * @throws Fault broken `attachment.unreadable`; Error when the service stops
   */
  async make(attachment: Attachment, size: ThumbnailSize): Promise<Uint8Array | undefined> {
    const found = await this.find(attachment, size);
    if (found.kind !== 'unmade') return found.kind === 'made' ? found.content : undefined;
    const key = Thumbnails.keyOf(attachment, size);
    let making = this.inFlight.get(key);
    if (!making) {
      making = this.withProcess((process) => this.makeWith(process, attachment, size)).finally(() =>
        this.inFlight.delete(key),
      );
      this.inFlight.set(key, making);
    }
    return making;
  }

  /** Ends the processes that create thumbnails. */
  async close(): Promise<void> {
    this.stopping.abort(new Error('the service is stopping'));
    await Promise.allSettled(this.inFlight.values());
    for (const process of this.processes) process.close();
  }

  private async withProcess<T>(work: (process: ThumbnailProcess) => Promise<T>): Promise<T> {
    const process = this.idle.pop() ?? (await new Promise<ThumbnailProcess>((resolve) => this.waiting.push(resolve)));
    try {
      return await work(process);
    } finally {
      const next = this.waiting.shift();
      if (next) next(process);
      else this.idle.push(process);
    }
  }

  private async makeWith(
    process: ThumbnailProcess,
    attachment: Attachment,
    size: ThumbnailSize,
  ): Promise<Uint8Array | undefined> {
    const { signal } = this.stopping;
    if (!(await this.checkInstalled(process, signal))) return undefined;
    const key = Thumbnails.keyOf(attachment, size);
    const content = await this.deps.blobs.open(attachment, undefined, signal);
    try {
      const thumbnail = await process.make(content, size, signal);
      if (thumbnail) await this.deps.store.put(key, thumbnail);
      else this.unreadable.set(key, true);
      return thumbnail;
    } finally {
      content.destroy();
    }
  }

  private async checkInstalled(process: ThumbnailProcess, signal: AbortSignal): Promise<boolean> {
    if (!this.isInstalled) return false;
    this.isInstalled = await process.isAvailable(signal);
    if (!this.isInstalled) this.deps.log.warn({}, 'no thumbnails: the package sharp is not installed');
    return this.isInstalled;
  }
}
