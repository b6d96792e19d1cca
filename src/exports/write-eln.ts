import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Attachment } from '../attachments/attachment.js';
import type { Entry } from '../entries/entry.js';
import {
  type ArchivedFile,
  type CrateHead,
  type CrateNode,
  describeDescriptor,
  describeEntry,
  describeLogbook,
  describeMissing,
  describePerson,
  describeRoot,
  type RoCrateVersion,
} from './eln-nodes.js';
import type { ExportDeps } from './export-storage.js';
import { listEntries, listIds } from './list-entries.js';
import { type ElnSigning, signDigest } from './minisign.js';
import { writeZip, type ZipWriter } from './zip-writer.js';

export interface ElnOptions {
  readonly roCrate: RoCrateVersion;
  /** Undefined: the archive is not signed. */
  readonly signing: ElnSigning | undefined;
  /** Address of the service; undefined when it is not known. */
  readonly publisherUrl: string | undefined;
}

/**
 * Writes an RO-Crate in an `.eln` archive, which electronic lab notebooks and repositories read: one dataset for each
 * entry, in its current version, with its files.
 * @throws the reason of `signal` when it aborts; no file remains
 */
export async function writeEln(
  deps: ExportDeps,
  file: string,
  options: ElnOptions,
  signal: AbortSignal,
): Promise<void> {
  const { signing } = options;
  const folder = toSafeName(basename(file, extname(file)));
  const name = `${folder}/ro-crate-metadata.json`;
  // A file is described after it was added to the archive, so the description is complete after the last file.
  const spool = `${file}.metadata`;
  try {
    await writeZip(file, deps.nowMs, async (zip) => {
      const crate = new CrateWriter(deps, zip, folder, options);
      await pipeline(Readable.from(crate.write(signal)), createWriteStream(spool, { mode: 0o600 }));
      const digest = createHash('blake2b512');
      await zip.add(name, hashed(createReadStream(spool), digest));
      if (signing) await zip.add(`${name}.minisig`, Readable.from([signDigest(digest.digest(), signing)]));
    });
  } finally {
    await rm(spool, { force: true });
  }
}

async function* hashed(content: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

class CrateWriter {
  private readonly head: CrateHead;
  private readonly persons = new Map<string, string>();
  private readonly logbooks = new Set<string>();
  private readonly written = new Set<number>();
  private readonly parents = new Map<number, number>();
  private readonly replies = new Map<number, number[]>();

  constructor(
    private readonly deps: ExportDeps,
    private readonly zip: ZipWriter,
    private readonly folder: string,
    { roCrate, publisherUrl: url }: ElnOptions,
  ) {
    const { storeId, nowMs } = deps;
    this.head = { roCrate, storeId, nowMs, url };
  }

  /** Yields the description of the crate, and adds the files to the archive. */
  async *write(signal: AbortSignal): AsyncGenerator<string> {
    const context = `https://w3id.org/ro/crate/${this.head.roCrate}/context`;
    yield `{"@context":${JSON.stringify(context)},"@graph":[\n${JSON.stringify(describeDescriptor(this.head))}`;
    await this.findReplies(signal);
    for await (const { entry } of listEntries(this.deps, signal)) {
      for (const node of await this.writeEntry(entry, signal)) yield line(node);
    }
    for (const node of this.describeOthers()) yield line(node);
    yield '\n]}\n';
  }

  private async findReplies(signal: AbortSignal): Promise<void> {
    const { entries, entryWrites } = this.deps.committed;
    for (const id of await listIds(entryWrites, signal)) {
      signal.throwIfAborted();
      const parent = await entries.findParent(id);
      if (parent === undefined) continue;
      this.parents.set(id, parent);
      const replies = this.replies.get(parent) ?? [];
      replies.push(id);
      this.replies.set(parent, replies);
    }
  }

  private async writeEntry(entry: Entry, signal: AbortSignal): Promise<Iterable<CrateNode>> {
    const { id, owner, ownerName, logbooks, attachments } = entry;
    const files: ArchivedFile[] = [];
    const taken = new Set<string>();
    this.zip.addFolder(`${this.folder}/entry-${id}`);
    for (const attachment of attachments) {
      signal.throwIfAborted();
      const path = `entry-${id}/${archivePathOf(attachment, taken)}`;
      const problem = await this.zip.addAttachment(`${this.folder}/${path}`, this.deps.blobs, attachment);
      if (problem === undefined) files.push({ path, attachment });
      else this.deps.onProblem(problem);
    }
    this.written.add(id);
    if (owner.trim() !== '') this.persons.set(owner, ownerName ?? owner);
    for (const { name } of logbooks) this.logbooks.add(name);
    const url = this.deps.linkOf(id);
    return describeEntry(entry, { files, url, parent: this.parents.get(id), replies: this.replies.get(id) ?? [] });
  }

  private *describeOthers(): Generator<CrateNode> {
    for (const [owner, name] of this.persons) yield describePerson(owner, name);
    for (const name of this.logbooks) yield describeLogbook(name);
    const missing = new Set([...this.parents].flat().filter((id) => !this.written.has(id)));
    for (const id of missing) yield* describeMissing(id);
    yield* describeRoot(this.head, [...this.written]);
  }
}

const line = (node: CrateNode) => `,\n${JSON.stringify(node)}`;

/** Returns a file name that is unique in the folder of the entry on every operating system. */
function archivePathOf({ filename }: Attachment, taken: Set<string>): string {
  const safe = toSafeName(filename);
  let name = safe;
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${number}_${safe}`;
  taken.add(name.toLowerCase());
  return name;
}

const maxNameLength = 100;

/**
 * Returns a name that every system accepts. It needs no escapes in an address, because programs read escapes
 * differently.
 */
function toSafeName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[._-]+|[.]+$/g, '_');
  const [, base = '', extension = ''] = /^(.*?)((?:[.][^.]{1,16})?)$/.exec(plain) ?? [];
  const short = base.slice(0, maxNameLength);
  return /^(con|prn|aux|nul|com\d|lpt\d|)$/i.test(short) ? `_${short}${extension}` : `${short}${extension}`;
}
