import { stat } from 'node:fs/promises';
import type { BackgroundJob } from '../../kernel/background-job.js';
import type { BackgroundJobs } from '../../kernel/background-jobs.js';
import type { Log } from '../../kernel/log.js';
import type { Listening } from '../listeners.js';
import { loadTlsIdentity, type TlsSource, tlsFiles } from './tls-identity.js';

const intervalMs = 5_000;

/**
 * Takes a new certificate into use when its files change. One that cannot be used leaves the previous one in use, and
 * the log says so.
 */
export class TlsReload {
  private readonly job: BackgroundJob;
  private loaded: Promise<string>;

  constructor(
    private readonly listening: Listening,
    private readonly source: TlsSource,
    private readonly log: Log,
    jobs: BackgroundJobs,
  ) {
    this.loaded = this.state();
    this.job = jobs.start({
      name: 'tls-reload',
      intervalMs,
      retryMs: intervalMs,
      failure: 'TLS certificate reload failed; keeping the previous certificate',
      run: () => this.reloadIfChanged(),
    });
  }

  /** Looks at once; resolves when a certificate that has changed is in use, or could not be used. */
  async look(): Promise<void> {
    await this.job.runNow().catch(() => undefined);
  }

  async stop(): Promise<void> {
    await this.job.stop();
  }

  /** Half of a pair may have been replaced, or a file may be readable later: a failure is tried again. */
  private async reloadIfChanged(): Promise<'idle'> {
    const now = await this.state();
    if (now === (await this.loaded)) return 'idle';
    this.listening.renewTls(await loadTlsIdentity(this.source));
    this.loaded = Promise.resolve(now);
    this.log.info({}, 'TLS certificate reloaded');
    return 'idle';
  }

  /** Changes whenever one of the files does. */
  private async state(): Promise<string> {
    const states = tlsFiles(this.source).map(async (file) => {
      const { ino, ctimeMs, size } = await stat(file).catch(() => ({ ino: 0, ctimeMs: 0, size: 0 }));
      return `${ino} ${ctimeMs} ${size}`;
    });
    return (await Promise.all(states)).join('|');
  }
}
