import type { FindReferenced } from '../attachments/blob-store.port.js';

/**
 * Protects files of a blob store between their commit and their release from being taken away by this process.
 */
export class BlobProtection {
  /** The number of `hold` without `release` per checksum. */
  private readonly held = new Map<string, number>();
  /** Checksums held since the current removal began, so that its list of references may lack them. */
  private readonly heldDuringRemoval = new Set<string>();
  /** Removals in progress, by checksum; they never reject. */
  private readonly taking = new Map<string, Promise<unknown>>();
  private removal: Promise<unknown> = Promise.resolve();

  /** Protects a file, immediately. Resolves when a removal of it that had begun before has ended. */
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
   * Takes away, one after the other, the files that are neither protected nor referenced; resolves to their checksums.
   * @param take called in the same turn as the check; whether there was such a file
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
        // Nothing may come between the check and the removal: a commit of the same content waits for its end.
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
