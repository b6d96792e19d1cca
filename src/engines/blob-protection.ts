import type { FindReferenced } from '../attachments/blob-store.port.js';

/** Prevents this process from removing files of a blob store between their commit and their release. */
export class BlobProtection {
  /** Number of `hold` calls without a matching `release`, by checksum. */
  private readonly held = new Map<string, number>();
  /** Checksums held since the current removal began; its list of references may lack them. */
  private readonly heldDuringRemoval = new Set<string>();
  /** Removals in progress, by checksum; they never reject. */
  private readonly taking = new Map<string, Promise<unknown>>();
  private removal: Promise<unknown> = Promise.resolve();

  /** Protects a file immediately. If the file is just being removed, resolves once that removal has ended. */
  async hold(checksum: string): Promise<void> {
    this.held.set(checksum, (this.held.get(checksum) ?? 0) + 1);
    this.heldDuringRemoval.add(checksum);
    await this.taking.get(checksum);
  }

  release(checksum: string): void {
    const count = (this.held.get(checksum) ?? 0) - 1;
    if (count > 0) this.held.set(checksum, count);
    else this.held.delete(checksum);
  }

  isHeld(checksum: string): boolean {
    return this.held.has(checksum);
  }

  /**
   * Removes, one by one, the files that are neither protected nor referenced; resolves to their checksums.
   * @param take called synchronously after the check; returns whether the file existed
   */
  takeAway(
    referenced: FindReferenced,
    checksums: readonly string[],
    take: (checksum: string) => boolean | Promise<boolean>,
  ): Promise<string[]> {
    const removal = this.removal.then(async () => {
      this.heldDuringRemoval.clear();
      const candidates = checksums.filter((checksum) => !this.held.has(checksum));
      const inUse = await referenced(candidates);
      const taken: string[] = [];
      for (const checksum of candidates) {
        if (inUse.has(checksum) || this.held.has(checksum) || this.heldDuringRemoval.has(checksum)) continue;
        // The check and the removal run in the same turn of the event loop. A commit of the same content waits for the
        // removal.
        const taking = Promise.resolve(take(checksum));
        this.taking.set(
          checksum,
          taking.catch(() => undefined),
        );
        if (await taking.finally(() => this.taking.delete(checksum))) taken.push(checksum);
      }
      return taken;
    });
    this.removal = removal.catch(() => undefined);
    return removal;
  }
}
