import { CachedCheck } from '../../kernel/cached-check.js';
import type { HealthCheck } from '../../kernel/health.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import { readBlobStoreId } from './blob-store-identity.js';

/** How long a result is reused. Anybody may request a check. */
const validMs = 1_000;
/** Load balancers wait no longer for all checks together. */
const limitMs = 1_500;
const unusable =
  'The directory of the files cannot be read, or belongs to another logbook. Files can be neither read nor stored; is its disk mounted?';

/** Checks that the directory of the files is there: the mount point of a disk that is not mounted has no mark. */
export class DirectoryCheck {
  private readonly checks = new CachedCheck(validMs, async () => [await this.check()]);
  /** The check in progress. Only one runs at a time, because each check of a hung disk occupies a thread. */
  private reading: Promise<string | undefined> | undefined;
  /** The logbook that the directory belonged to when it was read first. */
  private owner: string | undefined;

  constructor(private readonly dir: string) {}

  /** Never rejects. */
  read(): Promise<HealthCheck[]> {
    return this.checks.read();
  }

  private async check(): Promise<HealthCheck> {
    const found = await withTimeout(limitMs, () => this.readOwner()).catch(() => undefined);
    this.owner ??= found;
    // Entries can be read and written without it.
    if (found === undefined || found !== this.owner) {
      return { name: 'attachments', status: 'warning', message: unusable };
    }
    return { name: 'attachments', status: 'ok', message: 'The directory of the files can be read.' };
  }

  private readOwner(): Promise<string | undefined> {
    this.reading ??= readBlobStoreId(this.dir).finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }
}
