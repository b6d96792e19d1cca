import type { Target } from '../../../packages/rich-text/text-model.js';
import type { TextAddresses } from './convert-text.js';
import { type AddressContext, type Named, readAddress } from './elog-address.js';
import type { ElogBytes } from './elog-bytes.js';
import type { StoredName } from './elog-entry.js';
import type { ListedEntry } from './elog-folder.js';
import { findStoredFile, type StoredFile } from './stored-files.js';

/** A stored file that a text shows, or to which it links. */
export interface NamedFile extends StoredFile {
  readonly logbook: string;
  readonly stored: StoredName;
}

/** Target of an address. Entries are identified by their keys, because they do not have local ids yet. */
export type Resolved =
  | Exclude<Target, { readonly kind: 'attachment' | 'entry' }>
  | { readonly kind: 'data'; readonly at: number }
  | { readonly kind: 'file'; readonly file: NamedFile }
  | { readonly kind: 'key'; readonly key: string };

const picture = /[.](?:png|jpe?g|jfif|gif|bmp|svg|webp|avif|tiff?|heic)$/i;

/** Facts about the ELOG that the resolver needs. */
export interface ElogIndex {
  readonly decoder: ElogBytes;
  readonly servers: readonly URL[];
  findLogbook(name: string): string | undefined;
  /** Returns an entry of a logbook, even if the logbook is left out; undefined when there is no such entry. */
  findEntry(logbook: string, id: number): ListedEntry | undefined;
  /** Whether the import includes an entry. */
  isBrought(listed: ListedEntry): boolean;
  rootOf(logbook: string): Buffer | undefined;
  listFiles(listed: ListedEntry): Promise<readonly StoredName[]>;
  keyOf(listed: ListedEntry): string;
}

/** Finds the targets of the addresses in the text of an entry. */
export class AddressResolver {
  private readonly context: AddressContext;

  constructor(
    private readonly index: ElogIndex,
    private readonly listed: ListedEntry,
  ) {
    const { logbook, id } = listed;
    this.context = {
      logbook,
      id,
      servers: index.servers,
      findLogbook: (name) => index.findLogbook(name),
      decode: (bytes) => index.decoder.decode(bytes),
    };
  }

  async resolve({ images, links }: TextAddresses): Promise<Map<string, Resolved>> {
    const resolved = new Map<string, Resolved>();
    for (const address of new Set([...images, ...links])) {
      resolved.set(address, await this.resolveNamed(readAddress(address, this.context)));
    }
    return resolved;
  }

  private async resolveNamed(named: Named): Promise<Resolved> {
    if (named.kind === 'data' || named.kind === 'ornament' || named.kind === 'page') return named;
    const found =
      named.kind === 'stored'
        ? await this.findStored(named)
        : named.kind === 'entry'
          ? await this.findEntry(named)
          : undefined;
    if (found) return found;
    const elsewhere = named.kind === 'nothing' ? undefined : named.elsewhere;
    return elsewhere === undefined ? { kind: 'nowhere' } : { kind: 'page', address: elsewhere };
  }

  private async findEntry({
    logbook,
    id,
    file,
  }: Extract<Named, { readonly kind: 'entry' }>): Promise<Resolved | undefined> {
    const listed = this.index.findEntry(logbook, id);
    if (!listed) return undefined;
    if (file === undefined) {
      return this.index.isBrought(listed) ? { kind: 'key', key: this.index.keyOf(listed) } : undefined;
    }
    const stored = (await this.index.listFiles(listed))[file - 1];
    return stored && this.find(logbook, listed.dir, stored);
  }

  /**
   * Finds a stored file. The preview of a picture is replaced with the picture; for other files, the preview is used.
   */
  private async findStored({
    logbook,
    names,
  }: Extract<Named, { readonly kind: 'stored' }>): Promise<Resolved | undefined> {
    const candidates = names.flatMap((name) => {
      const files = [name.replace(/-\d+[.]png$/i, ''), name.replace(/[.]png$/i, '')];
      return [...files.filter((file) => file !== name && picture.test(file)), name];
    });
    for (const name of new Set(candidates)) {
      const found = await this.find(logbook, this.listed.dir, { name, bytes: Buffer.from(name) });
      if (found) return found;
    }
    return undefined;
  }

  private async find(logbook: string, beside: Buffer, stored: StoredName): Promise<Resolved | undefined> {
    const root = this.index.rootOf(logbook);
    const file = root && (await findStoredFile({ root, beside, decoder: this.index.decoder }, stored));
    return file && { kind: 'file', file: { ...file, logbook, stored } };
  }
}
