import { CachedCheck } from '../../kernel/cached-check.js';
import type { HealthCheck } from '../../kernel/health.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import { readBlobStoreId } from './blob-store-identity.js';

/** Maximum age of a reused result. Anybody may request a check. */
const validMs = 1_000;
/** Time limit, because load balancers do not wait longer for all checks together. */
const limitMs = 1_500;
const unusable =
  'The directory of the files cannot be read, or belongs to another logbook. Files cannot be read or stored. Check that the disk of the directory is mounted.';

/** Checks that the attachments directory is present: an empty mount point of an unmounted disk has no store id. */
export class DirectoryCheck {
  private readonly checks = new CachedCheck(validMs, async () => [await this.check()]);
  /** The check in progress. Only one runs at a time, because each check of a hung disk occupies a thread. */
  private reading: Promise<string | undefined> | undefined;
  /** Id of the logbook that owned the directory at the first successful check. */
  private owner: string | undefined;

  constructor(private readonly dir: string) {}

  /** Never rejects. */
  read(): Promise<HealthCheck[]> {
    return this.checks.read();
  }

  private async check(): Promise<HealthCheck> {
    const found = await withTimeout(limitMs, () => this.readOwner()).catch(() => undefined);
    this.owner ??= found;
    // Only a warning: entries can be read and written without the files.
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
