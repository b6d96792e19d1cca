import { stat } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Listening } from '../listeners.js';
import { loadTlsIdentity, type TlsSource, tlsFiles } from './tls-identity.js';

const lookEveryMs = 5_000;

/**
 * Takes a new certificate into use when its files change, or when it is told to look. One that cannot be used leaves
 * the one before in use, and the log says so.
 */
export class TlsRenewal {
  private readonly timer: NodeJS.Timeout;
  private seen: Promise<string>;
  private looking: Promise<void> | undefined;
  /** The state of which the log has said that it cannot be used. */
  private refused = '';

  constructor(
    private readonly listening: Listening,
    private readonly source: TlsSource,
    private readonly logger: FastifyBaseLogger,
  ) {
    this.seen = this.state();
    this.timer = setInterval(() => void this.look(), lookEveryMs);
    this.timer.unref();
  }

  /** Resolves when a certificate that has changed is in use. */
  look(): Promise<void> {
    this.looking ??= this.renewIfChanged().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async renewIfChanged(): Promise<void> {
    const before = await this.seen;
    const now = await this.state();
    if (now === before) return;
    try {
      this.listening.renewTls(await loadTlsIdentity(this.source));
      this.seen = Promise.resolve(now);
      this.logger.info('the new certificate is in use');
    } catch (error) {
      // Half of a pair may have been replaced, or it may be readable later: it is tried again.
      if (now !== this.refused)
        this.logger.error({ err: error }, 'the new certificate cannot be used; the one before stays');
      this.refused = now;
    }
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
